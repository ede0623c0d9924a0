/**
 * The Messages API behind `ModelPort`: one streamed call, no retry (the loop waits durably), every
 * outcome a value. Reads the raw event stream itself, because the SDK's own iterator hides pings
 * and ends without a word when a stream is cut or aborted.
 */
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { Config } from '../config.ts';
import type { Clock } from '../deps.ts';
import { type Assembly, createAssembly } from './assemble.ts';
import { callCapMs, MAX_CALL_MS } from './call-cap.ts';
import {
  BadReplyError,
  classifyFailure,
  type FailureContext,
  StreamCutError,
  StreamErrorEvent,
} from './failures.ts';
import type { ModelCallOptions, ModelPort, ModelRequest } from './port.ts';
import { CONTEXT_EDITING, toBody } from './request.ts';

export interface AnthropicModelOptions {
  apiKey: string;
  /** Null: the API's own address. Any server that speaks the Messages API will do. */
  baseUrl: string | null;
  fetch: typeof fetch;
  thinkingEffort: Config['thinkingEffort'];
  clock: Clock;
}

type Ended = NonNullable<FailureContext['ended']>;

interface Watch {
  /** Aborted when the caller gives up or a limit passes. */
  signal: AbortSignal;
  /** Something arrived. */
  touch(): void;
  /** Why `signal` was aborted, undefined while it is not. */
  ended(): Ended | undefined;
  stop(): void;
}

/** One timer for both limits; `touch` only notes the time, so a busy stream re-arms nothing. */
function watchCall(clock: Clock, options: ModelCallOptions): Watch {
  const capMs = Math.min(callCapMs(options.idleMs), options.maxMs ?? Number.POSITIVE_INFINITY);
  const call = new AbortController();
  const timer = new AbortController();
  const startedAt = clock.now();
  let touchedAt = startedAt;
  let reason: Ended | undefined;

  function end(why: Ended): void {
    reason ??= why;
    timer.abort();
    call.abort();
  }
  const onAbort = () => end('aborted');
  if (options.signal.aborted) onAbort();
  options.signal.addEventListener('abort', onAbort, { once: true });

  async function run(): Promise<void> {
    while (!timer.signal.aborted) {
      const now = clock.now();
      if (now >= startedAt + capMs) return end('too_long');
      if (now >= touchedAt + options.idleMs) return end('idle');
      const next = Math.min(touchedAt + options.idleMs, startedAt + capMs);
      await clock.sleep(next - now, timer.signal);
    }
  }
  void run();

  return {
    signal: call.signal,
    touch: () => {
      touchedAt = clock.now();
    },
    ended: () => reason,
    stop: () => {
      options.signal.removeEventListener('abort', onAbort);
      timer.abort();
    },
  };
}

/** Loaded at the first call: the SDK adds about 0.1 s to the start of a Worker. */
async function openStream(
  options: AnthropicModelOptions,
  body: MessageCreateParamsStreaming,
  signal: AbortSignal,
) {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const { Stream } = await import('@anthropic-ai/sdk/core/streaming');
  const client = new Anthropic({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    fetch: options.fetch,
    maxRetries: 0,
    timeout: MAX_CALL_MS,
    // Its logger would print bodies; its spans would carry them.
    logLevel: 'off',
    openTelemetry: false,
  });
  const response = await client.messages
    .create(...withContextEditing(options, body, signal))
    .asResponse();
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('text/event-stream')) {
    await response.body?.cancel();
    throw new BadReplyError(
      `it answered with ${type.split(';')[0] || 'no content type'} instead of an event stream; check ANTHROPIC_BASE_URL`,
    );
  }
  return { events: Stream.rawEvents(response), headers: response.headers };
}

/** Only the API itself is known to take the beta; other servers get the plain request. */
function withContextEditing(
  { baseUrl }: AnthropicModelOptions,
  body: MessageCreateParamsStreaming,
  signal: AbortSignal,
): [MessageCreateParamsStreaming, { signal: AbortSignal; headers?: Record<string, string> }] {
  if (baseUrl !== null) return [body, { signal }];
  const { beta, context_management } = CONTEXT_EDITING;
  return [
    { ...body, context_management } as typeof body,
    { signal, headers: { 'anthropic-beta': beta } },
  ];
}

function parseEvent(data: string): { type?: unknown } {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event === 'object' && event !== null) return event;
  } catch {
    // Falls through: a proxy's text, or half an event.
  }
  throw new BadReplyError('the stream carried an event that is not JSON');
}

async function readReply(
  stream: Awaited<ReturnType<typeof openStream>>,
  assembly: Assembly,
  on: { event: () => void; text: (text: string) => void },
): Promise<void> {
  for await (const sse of stream.events) {
    on.event();
    if (sse.data === '') continue;
    const event = parseEvent(sse.data);
    // The event's own type counts: some compatible servers send no `event:` line.
    if (event.type === 'error') throw new StreamErrorEvent(event, stream.headers);
    const text = assembly.take(event);
    if (text !== '') on.text(text);
    if (assembly.isComplete()) return;
  }
  throw new StreamCutError('the stream ended before message_stop');
}

/** A network error while reading says `terminated` or the like: the stream was cut. */
function asCut(error: unknown): unknown {
  const ours = error instanceof StreamErrorEvent || error instanceof BadReplyError;
  return ours ? error : new StreamCutError('the stream broke', { cause: error });
}

/** Claude, or any server that speaks the Messages API, as a `ModelPort`. */
export function createAnthropicModel(options: AnthropicModelOptions): ModelPort {
  async function call(request: ModelRequest, callOptions: ModelCallOptions) {
    const assembly = createAssembly();
    const watch = watchCall(options.clock, callOptions);
    try {
      const body = toBody(request, options.thinkingEffort);
      const stream = await openStream(options, body, watch.signal);
      watch.touch();
      await readReply(stream, assembly, {
        event: watch.touch,
        text: (text) => callOptions.onText?.(text),
      }).catch((error: unknown) => {
        throw asCut(error);
      });
      return assembly.reply();
    } catch (error) {
      const ended = watch.ended();
      return classifyFailure(error, {
        model: request.model,
        apiKey: options.apiKey,
        baseUrl: options.baseUrl,
        now: options.clock.now(),
        usage: assembly.usage(),
        ended,
        limitMs: ended === 'too_long' ? callCapMs(callOptions.idleMs) : callOptions.idleMs,
      });
    } finally {
      watch.stop();
    }
  }
  return { call };
}
