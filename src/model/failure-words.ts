/**
 * What a failed model call says to people: one sentence, the API's own reason where it gave one,
 * what to do where there is something, and never a key. Pure.
 */
import type { FailureContext, Seen } from './failures.ts';
import type { FailureKind } from './port.ts';

const MAX_REASON_CHARS = 300;

/** Takes the key itself and anything that looks like one out of a text. */
export function redact(message: string, apiKey: string): string {
  const known = apiKey.length >= 4 ? message.replaceAll(apiKey, '[redacted]') : message;
  return known
    .replace(/\bsk-[\w-]{6,}/g, '[redacted]')
    .replace(/\b(bearer\s+)[\w.~+/=-]{6,}/gi, '$1[redacted]')
    .replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, '$1[redacted]');
}

/** The API's own reason, on one line and bounded. */
function reasonLine(seen: Seen): string {
  const line = seen.reason.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
}

function networkMessage(seen: Seen, context: FailureContext): string {
  const place = context.baseUrl === null ? 'the model API' : 'the server in ANTHROPIC_BASE_URL';
  if (/ENOTFOUND|EAI_AGAIN|getaddrinfo|dns/i.test(seen.cause)) {
    return `The name of ${place} could not be resolved; check ${context.baseUrl === null ? 'the network' : 'ANTHROPIC_BASE_URL'}.`;
  }
  if (/ECONNREFUSED/i.test(seen.cause))
    return `Nothing answers at ${place}; check that it is running.`;
  return `The connection to ${place} was lost before the reply was complete.`;
}

/** The sentence around the API's reason: what failed and, where there is something, what to do. */
function frame(kind: FailureKind, seen: Seen, context: FailureContext): string {
  const seconds = Math.round((context.limitMs ?? 0) / 1000);
  switch (kind) {
    case 'aborted':
      return 'The call was stopped before the reply was complete.';
    case 'timeout':
      if (context.ended === 'idle') return `The model sent nothing for ${seconds} s (LLM_TIMEOUT).`;
      if (context.ended === 'too_long') return `The reply was not complete after ${seconds} s.`;
      return 'The model API ran out of time';
    case 'connection_lost':
      return networkMessage(seen, context);
    case 'unauthorized':
      return 'The model API refused the key; check ANTHROPIC_API_KEY';
    case 'forbidden':
      return 'The key in ANTHROPIC_API_KEY may not do this';
    case 'not_found':
      return `The model API does not know "${context.model}"; check MODEL${context.baseUrl === null ? '' : ' and ANTHROPIC_BASE_URL'}`;
    case 'billing':
      return 'The model API asks for payment; check the billing page of its account';
    case 'spend_limit':
      return 'The spend limit of the model account is reached; raise it or wait until it resets';
    case 'rate_limited':
      return 'The model API limits the rate of requests';
    case 'overloaded':
      return 'The model API is overloaded';
    case 'request_too_large':
      return 'The request is larger than the model API accepts; ask for less or attach less';
    case 'context_exceeded':
      return "The conversation no longer fits the model's window; ask for less or attach less";
    case 'bad_request':
      return `The model API refused the request${seen.status === null ? '' : ` (${seen.status})`}`;
    case 'server_error':
      return `The model API failed${seen.status === null ? '' : ` (${seen.status})`}`;
  }
}

/** The whole sentence for a failure of this kind; `redact` comes after it. */
export function describeFailure(kind: FailureKind, seen: Seen, context: FailureContext): string {
  const sentence = frame(kind, seen, context);
  if (sentence.endsWith('.')) return sentence;
  if (seen.name === 'BadReplyError') return `${sentence}: ${seen.cause.replace(/\.$/, '')}.`;
  const reason = reasonLine(seen);
  if (reason !== '') return `${sentence}: ${reason}.`;
  // A body that is no API error came from something in between: its text is of no use to anyone.
  if (seen.status !== null && seen.type === '') {
    return `${sentence}; the answer was not the API's own, so a proxy may stand in between.`;
  }
  return `${sentence}.`;
}
