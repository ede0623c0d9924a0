/**
 * A launcher to be killed: what dev/start.ts does, with the Worker of the kill tests and a trap in
 * its Redis traffic. Ends with the test that started it, however that one ends.
 */
import { fileURLToPath } from 'node:url';
import { handleEnding } from '../../dev/stack/signals.ts';
import { type Stack, startStack } from '../../dev/stack/start-stack.ts';
import { createTrap, type FromLauncher, type ToLauncher } from './trap.ts';

export interface LauncherOptions {
  dataDir: string;
  port: number;
  env: Record<string, string>;
}

const options = JSON.parse(process.argv[2] ?? '{}') as LauncherOptions;
const tell = (message: FromLauncher) => void process.send?.(message);
let starting: Promise<Stack> | null = null;
const ending = handleEnding({
  onFatal: (message) => tell({ kind: 'failed', message }),
  cleanUp: async () => (await starting)?.stop(),
});
process.on('disconnect', () => void ending.exit(0));
const trap = createTrap(tell);
process.on('message', (message) => trap.receive(message as ToLauncher));

try {
  starting = startStack({
    ...options,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    entry: fileURLToPath(new URL('worker.ts', import.meta.url)),
    quiet: true,
    intercept: trap.intercept,
  });
  tell({ kind: 'ready', url: (await starting).url });
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  await ending.exit(1);
}
