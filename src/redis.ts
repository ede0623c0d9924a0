/**
 * Redis over REST: one script or one command a round trip, answers raw. The only file that knows
 * the Upstash client. Its errors quote the whole command (question, keys, entries), so they are
 * replaced by one plain sentence before anyone sees them.
 */
import { Redis as UpstashRedis } from '@upstash/redis/cloudflare';
import { StrideError } from './errors.ts';

export interface RedisPort {
  /** Runs a Lua script by its SHA1, sending the text only when the server does not know it. */
  script(text: string, keys: string[], args: string[]): Promise<unknown>;
  command(...args: string[]): Promise<unknown>;
}

/** HGETALL's flat list of names and values. */
export function toFields(flat: unknown): Map<string, string> {
  const list = Array.isArray(flat) ? (flat as string[]) : [];
  const fields = new Map<string, string>();
  for (let i = 0; i < list.length; i += 2) fields.set(list[i] ?? '', list[i + 1] ?? '');
  return fields;
}

/** One attempt may hang this long; every write is safe to send again. */
const REQUEST_TIMEOUT_MS = 8_000;

const shaOf = new Map<string, Promise<string>>();

async function sha1(text: string) {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function scriptSha(text: string) {
  const known = shaOf.get(text) ?? sha1(text);
  shaOf.set(text, known);
  return known;
}

/** What Redis said, without the command the client appends to it. */
function replyOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(', command was:')[0]?.slice(0, 200) ?? '';
}

/**
 * Builds a client for one request. Retries, sync tokens and deserialisation of the SDK are off or
 * harmless: writes are idempotent by construction and reads go to one primary.
 */
export function createRedis(options: { url: string; token: string }): RedisPort {
  const client = new UpstashRedis({
    url: options.url,
    token: options.token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    responseEncoding: false,
    enableTelemetry: false,
    retry: { retries: 2, backoff: (attempt) => 100 * 2 ** attempt },
    // A function, not a plain signal: with a plain one the client turns an abort into a success.
    signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });

  async function send(command: [string, ...string[]]) {
    try {
      return await client.exec<unknown>(command);
    } catch (error) {
      const reply = replyOf(error);
      if (reply.startsWith('NOSCRIPT')) throw new NoScript(reply);
      throw new StrideError('unavailable', `Redis did not do what it was asked: ${reply}`);
    }
  }

  return {
    async script(text, keys, args) {
      const rest = [String(keys.length), ...keys, ...args];
      try {
        return await send(['EVALSHA', await scriptSha(text), ...rest]);
      } catch (error) {
        if (!(error instanceof NoScript)) throw error;
        return await send(['EVAL', text, ...rest]);
      }
    },
    command: (...args) => send(args as [string, ...string[]]),
  };
}

class NoScript extends Error {}
