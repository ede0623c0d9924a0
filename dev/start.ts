/**
 * `npm start`: the service on http://localhost:8787, with a stand-in for each service that has no
 * key; `npm run dev` (`--watch`) is the same and reloads on changes. Ctrl-C ends all of it.
 */
import { resolve } from 'node:path';
import { describeStack } from './stack/console.ts';
import { parsePort, ROOT } from './stack/environment.ts';
import { handleEnding } from './stack/signals.ts';
import { type Stack, startStack } from './stack/start-stack.ts';

const USAGE = `Usage: npm start            the service on http://localhost:8787
       npm run dev          the same, reloading when a file in src/ changes

  PORT=8788                 another port (0: a free one)
  STRIDE_DATA_DIR=folder    where its data lives (default: .stride)

Keys and settings come from the environment, then .dev.vars, then .env.
A service whose variables are set is the real one; the others run here.`;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return;
  }
  const unknown = args.find((one) => one !== '--watch');
  const port = parsePort(process.env.PORT?.trim() || '8787');
  if (unknown !== undefined || port === null) {
    const fault =
      port === null
        ? `PORT is "${process.env.PORT}"; it must be a number from 0 to 65535.`
        : `Unknown option ${unknown}.`;
    console.error(`${fault}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  let starting: Promise<Stack> | null = null;
  const ending = handleEnding({
    onFatal: (message) => console.error(message),
    async cleanUp(reason) {
      if (reason !== 'exit') console.log('\nstopping …');
      await (await starting)?.stop();
    },
  });
  try {
    starting = startStack({
      dataDir: process.env.STRIDE_DATA_DIR?.trim() || resolve(ROOT, '.stride'),
      port,
      watch: args.includes('--watch'),
    });
    const stack = await starting;
    // Bound to 127.0.0.1; `localhost` is what people and browsers expect.
    const address = stack.url.replace('127.0.0.1', 'localhost');
    for (const line of [...describeStack(stack, address), 'Ctrl-C stops it.']) console.log(line);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    await ending.exit(1);
  }
}

await main(process.argv.slice(2));
