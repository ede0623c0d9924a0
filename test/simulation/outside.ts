/** What happened outside the loop, counted there: tools entered, models asked, code run, posts. */
import type { ToolEffect } from '../../src/loop/journal.ts';
import type { ModelRequest } from '../../src/model/port.ts';

export interface ToolStart {
  run: string;
  callId: string;
  tool: string;
  effect: ToolEffect;
  key: string;
  process: string;
  atMs: number;
  /** Set when the tool came to its end, whether or not anybody heard of it. */
  ended: boolean;
}

export interface ModelCall {
  event: string;
  process: string;
  /** Each message as JSON. */
  messages: string[];
  toolChoice: ModelRequest['toolChoice'];
  /** What its provider charges. */
  realMicroUsd: number;
}

export interface Outside {
  toolStarts: ToolStart[];
  modelCalls: ModelCall[];
  /** Event → system prompt and tools as JSON, of its first call. */
  pinned: Map<string, string>;
  /** Call → how often its code ran, in whatever sandbox. */
  codeRuns: Map<string, number>;
  /** Sandbox → whose it is, and since when it is gone. */
  sandboxes: Map<string, { run: string; madeAt: number; goneAt: number | null }>;
  /** Run → when its sandboxes were killed last. */
  killedAt: Map<string, number>;
  /** Deleted run → when its objects were purged last. */
  purgedAt: Map<string, number>;
  /** Run → ids under which its end was posted. */
  posts: Map<string, string[]>;
  /** Run → what somebody who followed it by seq has seen. */
  seen: Map<string, string[]>;
  /** Event → run ids it was answered with, and whether it was refused. */
  answers: Map<string, { ids: Set<string>; refused: boolean }>;
  /** Event → deliveries it asked for, when it asked. */
  asked: Map<string, string[]>;
  /** What happened at all, by name: crash points and the like. */
  marks: Map<string, number>;
}

export function createOutside(): Outside {
  return {
    toolStarts: [],
    modelCalls: [],
    pinned: new Map(),
    codeRuns: new Map(),
    sandboxes: new Map(),
    killedAt: new Map(),
    purgedAt: new Map(),
    posts: new Map(),
    seen: new Map(),
    answers: new Map(),
    asked: new Map(),
    marks: new Map(),
  };
}

export function mark(outside: Outside, name: string): void {
  outside.marks.set(name, (outside.marks.get(name) ?? 0) + 1);
}

/** The event a run was accepted for, which its id names: `run_q1_…` is of event `q1`. */
export const eventOf = (runId: string): string => /^run_(q\d+)_/.exec(runId)?.[1] ?? runId;
