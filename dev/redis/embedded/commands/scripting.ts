// EVAL, EVALSHA and SCRIPT: compiles a script once, keeps it by its SHA1 until SCRIPT FLUSH, and
// runs its commands one after another as one call. A script that fails keeps what it wrote before.

import { RedisError } from '../../engine.ts';
import { type Command, type CommandTable, fitsArity, keysOf, lookUp } from '../command.ts';
import type { Keyspace } from '../keyspace.ts';
import { type LuaState, sha1 } from '../lua/state.ts';
import { integerArgument } from '../numbers.ts';
import { parseShebang, type ScriptFlags } from '../shebang.ts';
import { OK, type Value } from '../values.ts';

interface Script {
  sha: string;
  code: string;
  flags: ScriptFlags;
}

const NO_SCRIPT = 'NOSCRIPT No matching script. Please use EVAL.';
const UNDECLARED =
  "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set";

/** `table` holds what scripts may call; it is looked at when one runs. */
export function scriptCommands(options: {
  lua: LuaState;
  table: CommandTable;
}): [string, Command][] {
  const { lua, table } = options;
  /** By SHA1 and, to spare EVAL the hashing, by text. */
  const scripts = new Map<string, Script>();
  const byText = new Map<string, Script>();

  function load(body: string): Script {
    const known = byText.get(body);
    if (known) return known;
    const sha = sha1(body);
    const { flags, code } = parseShebang(body);
    const script = { sha, code, flags };
    lua.compile(script);
    scripts.set(sha, script);
    byText.set(body, script);
    return script;
  }

  /** Keys and arguments of a call, after the script or its SHA1. */
  function split(words: string[]) {
    const count = integerArgument(words[2] ?? '');
    if (count > BigInt(words.length - 3)) {
      throw new RedisError("ERR Number of keys can't be greater than number of args");
    }
    if (count < 0n) throw new RedisError("ERR Number of keys can't be negative");
    const end = 3 + Number(count);
    return { keys: words.slice(3, end), args: words.slice(end) };
  }

  function run(script: Script, given: ReturnType<typeof split>, keyspace: Keyspace): Value {
    const declared = new Set(given.keys);
    return lua.run({
      sha: script.sha,
      code: script.code,
      ...given,
      call(words) {
        const command = requireCallable(table, words);
        if (script.flags.readOnly && command.isWrite) {
          throw new RedisError('ERR Write commands are not allowed from read-only scripts.');
        }
        if (script.flags.locksKeys && !isDeclared(command, { words, declared })) {
          throw new RedisError(UNDECLARED);
        }
        return command.run(words, keyspace);
      },
    });
  }

  function evalScript(words: string[], keyspace: Keyspace): Value {
    const given = split(words);
    return run(load(words[1] ?? ''), given, keyspace);
  }

  function evalSha(words: string[], keyspace: Keyspace): Value {
    const sha = (words[1] ?? '').toLowerCase();
    if (sha.length !== 40) throw new RedisError(NO_SCRIPT);
    const given = split(words);
    const script = scripts.get(sha);
    if (!script) throw new RedisError(NO_SCRIPT);
    return run(script, given, keyspace);
  }

  function flush(words: string[]): Value {
    if (words.length > 3 || !/^(?:SYNC|ASYNC)$/i.test(words[2] ?? 'SYNC')) {
      throw new RedisError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
    }
    lua.flush();
    scripts.clear();
    byText.clear();
    return OK;
  }

  const command = (arity: number, action: Command['run']): Command => ({
    arity,
    keys: 'none',
    noScript: true,
    run: action,
  });
  return [
    ['EVAL', command(-3, evalScript)],
    ['EVALSHA', command(-3, evalSha)],
    ['SCRIPT', command(-2, () => null)],
    ['SCRIPT|LOAD', command(3, (words) => load(words[2] ?? '').sha)],
    [
      'SCRIPT|EXISTS',
      command(-3, (words) => words.slice(2).map((sha) => (scripts.has(sha.toLowerCase()) ? 1 : 0))),
    ],
    ['SCRIPT|FLUSH', command(-2, flush)],
  ];
}

/** Inside a script Redis words its refusals differently. */
function requireCallable(table: CommandTable, words: string[]): Command {
  const command = lookUp(table, words);
  if (!command) throw new RedisError('ERR Unknown Redis command called from script');
  if (!fitsArity(command, words)) {
    throw new RedisError('ERR Wrong number of args calling Redis command from script');
  }
  if (command.noScript) throw new RedisError('ERR This Redis command is not allowed from script');
  return command;
}

function isDeclared(
  command: Command,
  { words, declared }: { words: string[]; declared: Set<string> },
): boolean {
  if (command.keys === 'database') return false;
  return keysOf(command, words).every((key) => declared.has(key));
}
