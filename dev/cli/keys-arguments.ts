/** The arguments of `npm run keys`. A mistake is a returned sentence, shown with the usage. No I/O. */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/errors.ts';
import { checkKeyName, checkOwner, parseScopes, type Scope } from '../../src/loop/key-store.ts';

export type KeysCommand =
  | { kind: 'help' }
  | { kind: 'create'; json: boolean; owner: string; name: string; scopes: Scope[] }
  | { kind: 'list'; json: boolean; owner: string | null }
  | { kind: 'revoke'; json: boolean; id: string };

export const KEYS_USAGE = `Usage: npm run keys -- create --owner OWNER --scopes SCOPES [--name NAME]
       npm run keys -- list [--owner OWNER]
       npm run keys -- revoke ID

  create        makes a key and shows it, this once
  list          all keys, revoked ones too
  revoke        ends a key; ID as the list shows it

  --owner       whose runs, files and money the key works on: a–z, 0–9, ".", "_", "-"
  --scopes      what it may do, separated by commas: ask, read, knowledge, evaluate, admin
  --name        what the key is for, for the list
  --json        one JSON object on stdout
  --help        this text

Keys are kept in the Redis of UPSTASH_REDIS_REST_URL and _TOKEN (environment, .dev.vars, .env);
without these, in that of the local stack while it runs (npm start).

Exit code: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  owner: { type: 'string' },
  scopes: { type: 'string' },
  name: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseStrictly>['values'];

/** Options that a command takes besides --json and --help. */
const TAKEN: Record<string, readonly string[]> = {
  create: ['owner', 'scopes', 'name'],
  list: ['owner'],
  revoke: [],
};

export function parseKeysArguments(args: string[]): Result<KeysCommand> {
  let parsed: ReturnType<typeof parseStrictly>;
  try {
    parsed = parseStrictly(args);
  } catch (error) {
    return fault(toPlainFault(error));
  }
  const { values, positionals } = parsed;
  const [command, ...rest] = positionals;
  if (values.help) return { ok: true, value: { kind: 'help' } };
  if (command === undefined) return fault('A command is missing: create, list or revoke.');
  if (!Object.hasOwn(TAKEN, command)) return fault(`There is no command "${command}".`);
  const strange = (['owner', 'scopes', 'name'] as const).find(
    (name) => values[name] !== undefined && !TAKEN[command]?.includes(name),
  );
  if (strange) return fault(`${command} takes no --${strange}.`);
  const wanted = command === 'revoke' ? 1 : 0;
  if (rest.length > wanted) return fault(`"${rest[wanted]}" is one word too many.`);
  if (command === 'create') return toCreate(values);
  if (command === 'list') return toList(values);
  return toRevoke(rest[0], values);
}

function toCreate(values: Values): Result<KeysCommand> {
  if (values.owner === undefined) return fault('--owner is missing.');
  if (values.scopes === undefined) return fault('--scopes is missing, e.g. --scopes ask,read.');
  const owner = checkOwner(values.owner);
  if (!owner.ok) return owner;
  const scopes = parseScopes(values.scopes);
  if (!scopes.ok) return scopes;
  const name = checkKeyName(values.name ?? '');
  if (!name.ok) return name;
  const json = values.json ?? false;
  return {
    ok: true,
    value: { kind: 'create', json, owner: owner.value, name: name.value, scopes: scopes.value },
  };
}

function toList(values: Values): Result<KeysCommand> {
  const owner = values.owner === undefined ? null : checkOwner(values.owner);
  if (owner && !owner.ok) return owner;
  const json = values.json ?? false;
  return { ok: true, value: { kind: 'list', json, owner: owner?.value ?? null } };
}

function toRevoke(id: string | undefined, values: Values): Result<KeysCommand> {
  if (id === undefined) return fault('Which key? Give its id, as npm run keys -- list shows it.');
  // Somebody's shell history now holds the key; that it is not an id must not print it again.
  if (id.startsWith('stride_')) return fault('That is a key, not its id; the list shows the id.');
  return { ok: true, value: { kind: 'revoke', json: values.json ?? false, id } };
}

function parseStrictly(args: string[]) {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
}

/** Node's own sentences explain its parser; ours say what to change. */
function toPlainFault(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  const option = /'(?:-\w, )?(-[^' ]*)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option ${option}.`;
  if (message.includes('does not take an argument')) return `${option} takes no value.`;
  return `${option} needs a value.`;
}

function fault(message: string): { ok: false; error: { code: 'invalid_input'; message: string } } {
  return { ok: false, error: { code: 'invalid_input', message } };
}
