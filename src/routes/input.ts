/**
 * Reading what a request brings: JSON bodies and queries against a zod schema, every fault told
 * with its field. Bodies are capped before they are parsed. Throws StrideError; the types that the
 * middleware declare are what makes the `hc` client typed.
 */
import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { StrideError } from '../errors.ts';
import { readBody } from '../http.ts';
import { MAX_JSON_BODY_BYTES } from '../limits.ts';
import type { AppEnv } from './context.ts';

/** Faults told at once; more would only hide the first. */
const MAX_FAULTS = 10;

export interface FieldFault {
  field: string;
  message: string;
}

/** An `invalid_input` that names each field at fault. */
export function invalidInput(faults: FieldFault[]): StrideError {
  const told = faults.slice(0, MAX_FAULTS);
  const message = told.map((fault) => `${fault.field}: ${fault.message}`).join('; ');
  return new StrideError('invalid_input', message, { fields: told });
}

/** Middleware: the JSON body, parsed; `c.req.valid('json')` holds it. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
): MiddlewareHandler<
  AppEnv,
  string,
  { in: { json: z.input<Schema> }; out: { json: z.output<Schema> } }
> {
  return async function readJson(c, next) {
    const type = c.req.header('content-type') ?? '';
    // Strict, because a form of another site can send any other type without asking first.
    if (!/^application\/json\s*(;|$)/i.test(type)) {
      throw invalidInput([{ field: 'content-type', message: 'expected application/json' }]);
    }
    const body = await readBody(c.req.raw, { maxBytes: MAX_JSON_BODY_BYTES, what: 'The body' });
    if (!body.ok) throw toStrideError(body.error);
    const parsed = schema.safeParse(parseJson(body.value));
    if (!parsed.success) throw invalidInput(fieldFaults(parsed.error));
    const broken = brokenTexts(parsed.data, []);
    if (broken.length > 0) throw invalidInput(broken);
    c.req.addValidatedData('json', parsed.data as object);
    await next();
  };
}

/** Middleware: the query string, parsed; a name given twice counts as its first value. */
export function query<Schema extends z.ZodType>(
  schema: Schema,
): MiddlewareHandler<
  AppEnv,
  string,
  { in: { query: z.input<Schema> }; out: { query: z.output<Schema> } }
> {
  return async function readQuery(c, next) {
    const parsed = schema.safeParse(c.req.query());
    if (!parsed.success) throw invalidInput(fieldFaults(parsed.error));
    c.req.addValidatedData('query', parsed.data as object);
    await next();
  };
}

export function toStrideError(fault: {
  code: StrideError['code'];
  message: string;
  details?: Record<string, unknown>;
}): StrideError {
  return new StrideError(fault.code, fault.message, fault.details);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidInput([{ field: 'body', message: 'expected JSON in UTF-8' }]);
  }
}

/**
 * Strings and names with half of a surrogate pair. JSON can say `"\ud800"`, but no UTF-8 can hold
 * it: the journal, the model and Python would each see another text.
 */
function brokenTexts(value: unknown, path: string[]): FieldFault[] {
  if (typeof value === 'string' && !value.isWellFormed()) {
    const message = 'holds half of a surrogate pair; send well-formed Unicode';
    return [{ field: path.join('.').toWellFormed() || 'body', message }];
  }
  if (typeof value !== 'object' || value === null) return [];
  // Parsed by a schema, so it is as deep as the schema and no deeper.
  return Object.entries(value).flatMap(([name, one]) => [
    ...(name.isWellFormed() ? [] : brokenTexts(name, [...path, name])),
    ...brokenTexts(one, [...path, name]),
  ]);
}

function fieldFaults(error: z.ZodError): FieldFault[] {
  return error.issues.flatMap((issue) => {
    const field = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: field ? `${field}.${key}` : key,
        message: 'not a field of this request',
      }));
    }
    return [{ field: field || 'body', message: plainMessage(issue.message) }];
  });
}

/** zod's own texts begin with a class of error that says nothing to the caller. */
function plainMessage(message: string): string {
  if (/received undefined$/.test(message)) return 'is required';
  return message.replace(/^(Invalid (input|option|string)|Too (small|big)): /, '');
}
