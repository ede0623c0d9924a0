/**
 * Numbers that are not settings: each named with its unit and where it comes from.
 * What a deployment may change is in config.ts.
 */

/** 32 KB of UTF-8: what one person can be expected to ask (design.md section 4). */
export const MAX_QUESTION_BYTES = 32_768;
export const MAX_FILES_PER_RUN = 20;
/** One multipart upload; a streamed PUT has the same cap (Workers hold 128 MB in all). */
export const MAX_UPLOAD_BYTES = 25 * 1024 * 1024;
/** JSON bodies are small: question, ids, options. */
export const MAX_JSON_BODY_BYTES = 256 * 1024;
export const MAX_PATH_CHARS = 240;

/** A holder that is silent this long is presumed dead; others may claim. */
export const LEASE_MS = 30_000;
/** How long after a lease's end the sweep looks at the run. */
export const LEASE_GRACE_MS = 5_000;
/** A holder that appended nothing for this long sends an empty append. */
export const HEARTBEAT_MS = 10_000;
/** Accepted or released with work left: the message was sent at once, this is the safety net. */
export const HANDOFF_DUE_MS = 30_000;
export const CLIENT_DUE_MS = 120_000;
export const SWEEP_DUE_MS = 60_000;
export const SWEEP_PAGE = 100;
export const SWEEP_ROUNDS = 20;
/** The first page of entries that a claim returns; the rest comes by LRANGE. */
export const CLAIM_PAGE_BYTES = 512 * 1024;
export const CLOSE_ATTEMPTS = 6;
export const BURY_ATTEMPTS = 9;
/** From here the calls that may run are closed: one of them stops the worker each time. */
export const POISON_ATTEMPTS = 3;
export const MAX_IDLE_CLAIMS = 30;

/** Step budgets: no new outbound call after this much of an invocation's step. */
export const QUEUE_STEP_MS = 240_000;
export const HTTP_STEP_MS = 25_000;
/** Cloudflare ends a queue consumer after 15 minutes. */
export const QUEUE_INVOCATION_MS = 15 * 60_000;
/** Cloudflare Queues delay a message by at most 12 hours; the sweep sees to longer waits. */
export const MAX_MESSAGE_DELAY_MS = 12 * 3_600_000;
/** A further model call of an invocation is started only with this much left; few take longer. */
export const MODEL_CALL_MS = 480_000;
/** What an outbound call's own timeout must leave of the invocation. */
export const CALL_MARGIN_MS = 30_000;
/** Tools that may take longer than this run on the queue only. */
export const MAX_CLIENT_TOOL_MS = 60_000;
/** Workers wait for six connections at once; two stay free for Redis and R2. */
export const MAX_PARALLEL_TOOLS = 4;

/** A tool result above its share goes to R2; the entry keeps a preview of at most this much in all. */
export const TURN_PREVIEW_BYTES = 160 * 1024;
/** `max_tokens` of a model call, of its repeat after a cut, and the least worth sending. */
export const MAX_OUTPUT_TOKENS = 16_000;
export const MAX_OUTPUT_TOKENS_AFTER_CUT = 32_000;
export const MIN_OUTPUT_TOKENS = 1_024;

export const DELIVERY_GIVE_UP_MS = 24 * 3_600_000;
export const TOMBSTONE_SECONDS = 7 * 86_400;
export const IDEMPOTENCY_SECONDS = 48 * 3_600;
