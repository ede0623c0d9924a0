/**
 * What the loop asks of a model and what comes back: plain data on both sides, no SDK client.
 * A failure is a value with a class (docs/retries.md); nothing here is thrown.
 */
import type {
  ContentBlock,
  MessageParam,
  TextBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import type { TokenUsage } from '../loop/journal.ts';

export interface ModelRequest {
  model: string;
  system: TextBlockParam[];
  tools: ToolUnion[];
  messages: MessageParam[];
  toolChoice: 'auto' | 'none';
  maxTokens: number;
}

export interface ModelReply {
  kind: 'reply';
  /** Exactly as received, in order, signatures included. */
  content: ContentBlock[];
  stopReason: string;
  model: string;
  usage: TokenUsage;
}

/** Classes of failure; what is done about each is in loop/retry.ts and docs/retries.md. */
export type FailureKind =
  | 'rate_limited'
  | 'spend_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection_lost'
  | 'bad_request'
  | 'unauthorized'
  | 'billing'
  | 'forbidden'
  | 'not_found'
  | 'request_too_large'
  | 'context_exceeded'
  | 'aborted';

export interface ModelFailure {
  kind: 'failed';
  failure: FailureKind;
  /** Plain sentence without secrets; the API's own reason where it gave one. */
  message: string;
  status: number | null;
  /** From `retry-after` / `retry-after-ms`, null when the API named none. */
  retryAfterMs: number | null;
  /** Usage seen before the failure (message_start arrived), null when none. */
  usage: TokenUsage | null;
}

export interface ModelCallOptions {
  signal: AbortSignal;
  /** Milliseconds without a stream event after which the call counts as `timeout`. */
  idleMs: number;
  /** Milliseconds after which the call counts as `timeout` whatever arrives. */
  maxMs?: number;
  /** Live text for a client that drives the run itself. */
  onText?: (text: string) => void;
}

export interface ModelPort {
  call(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply | ModelFailure>;
}
