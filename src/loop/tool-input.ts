/**
 * What a model sent as arguments, made into a tool's input: other field names mapped, JSON in
 * strings and numbers in quotes read, and what remains wrong said field by field. No I/O.
 */
import type { Tool } from '../tools/define.ts';

export type ToolInput =
  | { ok: true; value: unknown; ignored: string[] }
  | { ok: false; message: string };

type Schema = Record<string, unknown>;
type Issue = { path: PropertyKey[]; message: string; code?: string };

const MAX_ISSUES = 8;
const MAX_SHOWN_CHARS = 60;

/** Parses the arguments of one call. Unknown extra fields are ignored by name, never refused. */
export function parseToolInput(tool: Tool, raw: unknown): ToolInput {
  const input = fromJsonText(raw, 'object');
  if (!isRecord(input)) {
    return {
      ok: false,
      message: `${tool.name} takes an object with ${fieldList(tool)}, got ${shown(input)}.`,
    };
  }
  const named = applyAliases(tool, input);
  const first = tool.parse(named);
  if (first.success) return { ok: true, value: first.data, ignored: unknownFields(tool, named) };
  const repaired = repair(tool.inputSchema, named, first.error.issues);
  const second = tool.parse(repaired);
  if (second.success)
    return { ok: true, value: second.data, ignored: unknownFields(tool, repaired) };
  return { ok: false, message: describe(tool, repaired, second.error.issues) };
}

/** Names a tool's fields for a sentence: `path, from_line (optional)`. */
function fieldList(tool: Tool): string {
  const required = new Set(
    Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : [],
  );
  const names = Object.keys(asSchema(tool.inputSchema.properties));
  if (names.length === 0) return 'no fields';
  return names
    .map((name) => (required.has(name) ? `\`${name}\`` : `\`${name}\` (optional)`))
    .join(', ');
}

function applyAliases(tool: Tool, input: Record<string, unknown>): Record<string, unknown> {
  const aliases = new Map(Object.entries(tool.fieldAliases));
  const fields = new Set(Object.keys(asSchema(tool.inputSchema.properties)));
  // Entries into fromEntries: a field called __proto__ stays an ordinary own property.
  const own = Object.entries(input);
  const taken = new Set(own.map(([name]) => name).filter((name) => fields.has(name)));
  const named: [string, unknown][] = [];
  for (const [name, value] of own) {
    const target = fields.has(name) ? undefined : aliases.get(name);
    if (target === undefined) named.push([name, value]);
    else if (!taken.has(target)) {
      taken.add(target);
      named.push([target, value]);
    }
  }
  return Object.fromEntries(named);
}

function unknownFields(tool: Tool, input: Record<string, unknown>): string[] {
  const extra = tool.inputSchema.additionalProperties;
  // zod's own objects say nothing or false; a schema here means that any name is welcome.
  if (extra === true || isRecord(extra)) return [];
  const fields = new Set(Object.keys(asSchema(tool.inputSchema.properties)));
  return Object.keys(input).filter((name) => !fields.has(name));
}

/** One repair of each top-level field that was refused: what models write for the right type. */
function repair(
  schema: Schema,
  input: Record<string, unknown>,
  issues: readonly Issue[],
): Record<string, unknown> {
  const refused = new Set(issues.map((issue) => String(issue.path[0] ?? '')));
  const properties = asSchema(schema.properties);
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    if (!refused.has(name)) return [[name, value]];
    // null for "not given"; a required field is then reported as missing, which is as clear.
    if (value === null) return [];
    return [[name, coerce(value, asSchema(properties[name]).type)]];
  });
  return Object.fromEntries(entries);
}

function coerce(value: unknown, type: unknown): unknown {
  if (typeof value === 'number' && type === 'string') return String(value);
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'integer' || type === 'number') {
    return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : value;
  }
  if (type === 'boolean') return /^(true|false)$/i.test(text) ? /^true$/i.test(text) : value;
  if (type === 'object' || type === 'array') return fromJsonText(value, type);
  return value;
}

/** The JSON in a string, where it holds the wanted kind of value; else the value unchanged. */
function fromJsonText(value: unknown, wanted: 'object' | 'array'): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return (wanted === 'array' ? Array.isArray(parsed) : isRecord(parsed)) ? parsed : value;
  } catch {
    return value;
  }
}

function describe(tool: Tool, input: unknown, issues: readonly Issue[]): string {
  // Several issues of one field (a union, say) would repeat the same sentence.
  const sentences = new Set(issues.map((issue) => sentence(tool, input, issue)));
  const listed = [...sentences].slice(0, MAX_ISSUES);
  if (sentences.size > MAX_ISSUES) listed.push(`and ${sentences.size - MAX_ISSUES} more.`);
  return `Invalid arguments for ${tool.name}: ${listed.join('; ')}. Its fields: ${fieldList(tool)}. Send the call again.`;
}

function sentence(tool: Tool, input: unknown, issue: Issue): string {
  const name = pathName(issue.path);
  const expected = expectation(schemaAt(tool.inputSchema, issue.path)) ?? lowerFirst(issue.message);
  const value = valueAt(input, issue.path);
  if (name === '') return lowerFirst(issue.message);
  if (value === undefined) return `field \`${name}\`: missing, expected ${expected}`;
  return `field \`${name}\`: expected ${expected}, got ${shown(value)}`;
}

function pathName(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema {
  let at = schema;
  for (const part of path) {
    at = asSchema(typeof part === 'number' ? at.items : asSchema(at.properties)[String(part)]);
  }
  return at;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (Array.isArray(at) && typeof part === 'number') at = at[part];
    else if (isRecord(at) && Object.hasOwn(at, part)) at = at[String(part)];
    else return undefined;
  }
  return at;
}

/** `integer ≥ 1`, `one of "a", "b"`, `text of at most 100 characters`; null when the schema says little. */
function expectation(schema: Schema): string | null {
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum.map((item) => shown(item)).join(', ')}`;
  if (schema.const !== undefined) return shown(schema.const);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type}${range(schema)}`;
    case 'string': {
      const least =
        typeof schema.minLength === 'number' && schema.minLength > 0 ? ' that is not empty' : '';
      const most =
        typeof schema.maxLength === 'number' ? ` of at most ${schema.maxLength} characters` : '';
      return `text${least}${most}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${expectation(asSchema(schema.items)) === null ? '' : ` of ${expectation(asSchema(schema.items))}`}`;
    case 'object':
      return 'an object';
    default:
      return null;
  }
}

function range(schema: Schema): string {
  const parts: string[] = [];
  // zod writes the safe integers as bounds of every integer; they tell the model nothing.
  const bound = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (bound(schema.minimum)) parts.push(`≥ ${schema.minimum}`);
  if (bound(schema.exclusiveMinimum)) parts.push(`> ${schema.exclusiveMinimum}`);
  if (bound(schema.maximum)) parts.push(`≤ ${schema.maximum}`);
  if (bound(schema.exclusiveMaximum)) parts.push(`< ${schema.exclusiveMaximum}`);
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = (JSON.stringify(value) ?? typeof value).toWellFormed();
  return text.length <= MAX_SHOWN_CHARS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}
