/**
 * What a stack says while it runs: the Worker's lines and the launcher's notices on the console,
 * or in `worker.log` where the console belongs to something else; and the reports of watch mode.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { BuildRequest } from './build.ts';
import type { Runtime } from './runtime.ts';
import type { Stack } from './start-stack.ts';

export interface StackConsole {
  line(text: string): void;
}

export interface ConsoleOptions {
  dataDir: string;
  quiet?: boolean;
  print?(line: string): void;
}

export function createConsole({ quiet, print, dataDir }: ConsoleOptions): StackConsole {
  if (!quiet) return { line: print ?? ((line) => process.stdout.write(`${line}\n`)) };
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'worker.log');
  writeFileSync(file, '');
  return { line: (line) => appendFileSync(file, `${line}\n`) };
}

/** Hooks for a watching build: reloads the Worker, one reload at a time, the newest build only. */
export function reloadOnBuild(
  runtime: () => Pick<Runtime, 'reload'> | null,
  console: StackConsole,
): NonNullable<BuildRequest['watch']> {
  let newest: { code: string; buildMs: number } | null = null;
  let reloading = false;
  async function reload() {
    const current = runtime();
    if (!current || reloading) return;
    reloading = true;
    while (newest !== null) {
      const { code, buildMs } = newest;
      newest = null;
      const begun = performance.now();
      try {
        await current.reload(code);
        console.line(
          `rebuilt and reloaded in ${Math.round(buildMs + performance.now() - begun)} ms`,
        );
      } catch (error) {
        console.line(`the new build does not start: ${String(error)}`);
      }
    }
    reloading = false;
  }
  return {
    onBuilt(code, buildMs) {
      newest = { code, buildMs };
      void reload();
    },
    onFailed: (report) => console.line(`${report}\nthe last good build stays in place`),
  };
}

/** The start-up lines: address, what is real and what is local, one command to try. */
export function describeStack(stack: Stack, address: string): string[] {
  const width = Math.max(...stack.services.map(({ name }) => name.length));
  const services = stack.services.map(
    ({ name, real, describe }) =>
      `  ${name.padEnd(width)}  ${real ? 'real ' : 'local'}  ${describe}`,
  );
  const sources =
    stack.envFiles.length > 0 ? [`  settings also from ${stack.envFiles.join(', ')}`] : [];
  const body = `{"question": "What is 6 * 7?"}`;
  return [
    `Stride is ready at ${address} after ${(stack.startedInMs / 1000).toFixed(1)} s`,
    ...services,
    ...sources,
    'Try:',
    `  curl -s ${address}/v1/runs -H 'content-type: application/json' -d '${body}'`,
  ];
}
