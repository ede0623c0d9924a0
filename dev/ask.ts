/**
 * `npm run ask -- "question" [--file path]…`: answers one question in front of the reader. Uses the
 * stack that runs, or starts one and ends it. Exit code 0 answered, 1 failed or no answer, 2 wrong
 * usage, 130 cancelled by Ctrl-C.
 */
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { StrideError } from '../src/errors.ts';
import { type AskArguments, checkQuestion, parseAskArguments, USAGE } from './cli/arguments.ts';
import { type Client, createClient } from './cli/client.ts';
import { type CollectedFiles, collectFiles } from './cli/files.ts';
import { createPaint, createTerminal, type Paint, type Terminal, wantsColor } from './cli/paint.ts';
import { type Asked, describeSkipped, runQuestion, toJsonResult } from './cli/run-question.ts';
import { openSession, type Session } from './cli/session.ts';
import { toHarmless, toHarmlessJson } from './cli/text.ts';
import { loadEnvironment, ROOT } from './stack/environment.ts';
import { type Ending, handleEnding } from './stack/signals.ts';

/** How long Ctrl-C waits for the service to note that the run was cancelled. */
const CANCEL_MS = 3_000;

interface Live {
  session: Promise<Session> | null;
  client: Client | null;
  runId: string | null;
  /** The result, good or bad, was printed. */
  isAnswered: boolean;
  stop: AbortController;
}

async function main(args: string[]): Promise<void> {
  const wantsJson = args.includes('--json');
  const parsed = parseAskArguments(args);
  if (!parsed.ok) return refuse(parsed.error.message, wantsJson);
  if (parsed.value.help) {
    console.log(USAGE);
    return;
  }
  const asked = parsed.value;
  const question = asked.question ?? checkQuestion(await readAll(process.stdin));
  if (typeof question !== 'string' && !question.ok)
    return refuse(question.error.message, asked.json);
  const files = await collectFiles(asked.files);
  if (!files.ok) return refuse(files.error.message, asked.json);
  await answer(
    { ...asked, question: typeof question === 'string' ? question : question.value },
    files.value,
  );
}

async function answer(
  asked: AskArguments & { question: string },
  files: CollectedFiles,
): Promise<void> {
  // With --json stdout belongs to the one object.
  const stream = asked.json ? process.stderr : process.stdout;
  const colored = asked.color && wantsColor(stream, process.env);
  const paint = createPaint(colored);
  const terminal = createTerminal(stream, Boolean(stream.isTTY) && process.env.TERM !== 'dumb');
  const live: Live = {
    session: null,
    client: null,
    runId: null,
    isAnswered: false,
    stop: new AbortController(),
  };
  const ending = handleEnding({
    onFatal: (message) => process.stderr.write(`${toHarmless(message)}\n`),
    cleanUp: (reason) => leave(live, { terminal, reason, json: asked.json }),
  });
  // A reader that goes away (`| head`) is no failure of ours to report.
  process.stdout.on('error', () => void ending.exit(1));
  try {
    const result = await ask({ asked, files, live, terminal, paint });
    terminal.print(result.lines);
    if (asked.json) printJson(toJsonResult({ asked: result }));
    live.runId = null;
    live.isAnswered = true;
    const onWait = () =>
      terminal.print(['Others use this stack; it ends with them, or by Ctrl-C.']);
    await (await live.session)?.leave({ patient: true, onWait });
    await ending.exit(result.run.status === 'succeeded' && result.run.answer !== null ? 0 : 1);
  } catch (error) {
    await fail(error, { asked, live, terminal, ending });
  }
}

async function ask(context: {
  asked: AskArguments & { question: string };
  files: CollectedFiles;
  live: Live;
  terminal: Terminal;
  paint: Paint;
}): Promise<Asked> {
  const { asked, files, live, terminal, paint } = context;
  const signal = live.stop.signal;
  const dim = (line: string) => paint('dim', line);
  const skipped = describeSkipped(files.skipped);
  if (skipped) terminal.print([dim(skipped)]);
  const { env } = loadEnvironment(process.env, ROOT);
  live.session = openSession({
    env,
    dataDir: env.STRIDE_DATA_DIR ?? resolve(ROOT, '.stride'),
    signal,
    onStarting: () => terminal.status(dim('  starting the local stack')),
    onWaiting: () => terminal.status(dim('  waiting for the stack of another process')),
  });
  const session = await live.session;
  terminal.print(describeSession(session).map(dim));
  live.client = createClient(session);
  signal.throwIfAborted();
  return runQuestion(
    { text: asked.question, files: files.files, follows: asked.follows, model: asked.model },
    {
      client: live.client,
      url: session.url,
      terminal,
      paint,
      signal,
      now: Date.now,
      onAccepted: (id) => {
        live.runId = id;
      },
    },
  );
}

function describeSession({ url, stack }: Session): string[] {
  if (!stack) return [`asking ${url}`];
  const services = stack.services.map(
    ({ name, real, describe }) => `  ${name} (${real ? 'real' : 'local'}): ${describe}`,
  );
  return [`local stack ready after ${(stack.startedInMs / 1000).toFixed(1)} s`, ...services];
}

async function fail(
  error: unknown,
  context: { asked: AskArguments; live: Live; terminal: Terminal; ending: Ending },
): Promise<void> {
  // Cancelled: the signal's own ending prints and exits.
  if (context.live.stop.signal.aborted) return;
  const message = toHarmless(error instanceof Error ? error.message : String(error));
  const reason = error instanceof StrideError ? error.code : 'unavailable';
  context.terminal.status(null);
  process.stderr.write(`${message}\n`);
  if (context.asked.json) {
    printJson({ ...toJsonResult({ failure: message, reason }), id: context.live.runId });
  }
  context.live.isAnswered = true;
  await context.ending.exit(1);
}

/** Ends what is going on: the run when it was interrupted, then what was started here. */
async function leave(
  live: Live,
  { terminal, reason, json }: { terminal: Terminal; reason: string; json: boolean },
): Promise<void> {
  const interrupted = reason !== 'exit' && !live.stop.signal.aborted;
  if (interrupted) live.stop.abort();
  terminal.status(null);
  const session = await live.session?.catch(() => null);
  if (interrupted && live.client && live.runId) {
    terminal.print([`cancelling ${live.runId} …`]);
    terminal.print(await cancel(live.client, live.runId));
  }
  if (interrupted && json && !live.isAnswered) {
    const result = toJsonResult({ failure: 'Cancelled by a signal.', reason: 'cancelled' });
    printJson({ ...result, id: live.runId, status: 'cancelled' });
  }
  await session?.leave({ patient: false });
}

/** Asks for the cancellation, and stays a moment for the run's end; what there is to say of it. */
async function cancel(client: Client, runId: string): Promise<string[]> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  try {
    await client.cancelRun(runId, signal);
  } catch {
    return ['The service did not take the cancellation; the run may go on to its limits.'];
  }
  try {
    for await (const { entry } of client.followRun(runId, signal)) {
      if (entry.type === 'run_finished') return ['cancelled'];
    }
  } catch {
    // Not within the moment: a call that is under way notices at its next heartbeat.
  }
  return ['The run ends when its current call lets go.'];
}

function refuse(message: string, json: boolean): void {
  process.stderr.write(`${toHarmless(message)}\n\n${USAGE}\n`);
  if (json) printJson(toJsonResult({ failure: message, reason: 'invalid_input' }));
  process.exitCode = 2;
}

function printJson(result: object): void {
  process.stdout.write(`${toHarmlessJson(result)}\n`);
}

await main(process.argv.slice(2));
