/**
 * The moments at which a run can be hit, as docs/crash-points.md lists them, and the marks by which
 * a simulation knows that it was there.
 */

export interface CrashPoint {
  id: string;
  /** Whether this mark (watch.ts, actors.ts) is one of it. */
  hits(mark: string): boolean;
}

const at = (id: string, pattern: RegExp): CrashPoint => ({
  id,
  hits: (mark) => pattern.test(mark),
});

export const CRASH_POINTS: readonly CrashPoint[] = [
  at('accept-unsent', /^crash: redis accept, before/),
  at('accept-unheard', /^crash: redis accept, (during|after)/),
  at('message-unsent', /^crash: queue send, before/),
  at('message-unheard', /^crash: queue send, (during|after)/),
  at('message-again', /^claim answered (busy|nothing|wait)/),
  at('claim-unheard', /^crash: redis claim, during/),
  at('claimed', /^crash: redis claim, after/),
  at('rest-unread', /^crash: redis LRANGE/),
  at(
    'prompt-pinned',
    /^crash: redis append run_prepared, before|^crash: r2 put prompts, (during|after)/,
  ),
  at('prepared-unheard', /^crash: redis append run_prepared, (during|after)/),
  at('model-unasked', /^crash: model, before/),
  at('model-streaming', /^crash: model, during/),
  at('reply-unsent', /^crash: model, after|^crash: redis append model_replied.*, before/),
  at('reply-unheard', /^crash: redis append model_replied, (during|after)/),
  at('failure-unheard', /^crash: redis append attempt_failed, (during|after)/),
  at('start-unsent', /^crash: redis append .*tool_started.*, before/),
  at('started-unrun', /^crash: redis append .*tool_started.*, (during|after)/),
  at('tool-running', /^crash: (tool|sandbox execute).*, (before|during|after)/),
  at('tools-some-done', /^crash: tools, some done/),
  at('result-unsent', /^crash: redis append .*tool_finished.*, before/),
  at('result-unheard', /^crash: redis append .*tool_finished.*, (during|after)/),
  at('object-unnamed', /^crash: r2 put o, /),
  at('sandbox-unnamed', /^crash: sandbox obtain, /),
  at('asked-unheard', /^crash: redis append .*approval_requested.*, (during|after)/),
  at('verdict-unheard', /^crash: redis append .*approval_given.*, (during|after)/),
  at('approval-expired', /^an approval expired/),
  at('heartbeat-unheard', /^crash: redis append heartbeat/),
  at('release-unheard', /^crash: redis append release/),
  at('end-unsent', /^crash: redis append .*run_finished.*, before/),
  at('end-unheard', /^crash: redis append .*run_finished.*, (during|after)/),
  at('delivery-unsent', /^crash: (delivery post|r2 put archive|sandbox kill), before/),
  at(
    'delivery-unbooked',
    /^crash: (delivery post|r2 put archive|sandbox kill), (during|after)|^crash: redis append settle.*, before/,
  ),
  at('settled-unheard', /^crash: redis append settle.*, (during|after)/),
  at('cancel-unheard', /^crash: redis append cancel_requested, (during|after)/),
  at('cancel-in-flight', /^a cancel met/),
  at('delete-unheard', /^crash: redis delete, (during|after)/),
  at('purge-half', /^crash: r2 (list|delete) /),
  at('sweep-unsent', /^crash: redis sweep, (during|after)/),
  at('late-worker', /^a late worker was fenced/),
  at('deploy', /^a deployment in the middle/),
  at('evicted', /^crash: (evicted|wall)/),
  at('poison-call', /^crash: poison, /),
  at('poison-run', /^crash: poison run/),
  at('poison-journal', /^mode bury/),
  at('redis-forgot', /^Redis forgot/),
];
