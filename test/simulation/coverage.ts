/**
 * Which branches of the loop's own sources a simulation reached: V8 counts blocks, and those with a
 * count of 0 are named by file and line.
 */

import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** The whole agent but its I/O: every branch of these must be reached. */
export const COVERED = ['src/loop/decide.ts', 'src/loop/step.ts'];

/** Branches that a sound loop cannot take, by file and the text they begin with. */
const GUARDS: readonly { file: string; text: string }[] = [
  // An ended run is only ever granted in mode `deliver`.
  { file: 'src/loop/decide.ts', text: "return { kind: 'nothing' };" },
  { file: 'src/loop/step.ts', text: "return { kind: 'nothing' };" },
  // For the types: calls exist only once the run is prepared.
  { file: 'src/loop/decide.ts', text: '?? false' },
  // A `once` call that was started is settled before poison is looked for.
  { file: 'src/loop/decide.ts', text: 'return unknownOutcome(call);' },
];

export interface Coverage {
  /** What was not reached, and a sum a file. */
  lines(): Promise<string[]>;
}

export async function startCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async lines() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return COVERED.flatMap((file) => {
        const script = result.find(({ url }) => url.endsWith(file));
        if (!script) return [`${file} was not loaded`];
        const source = readFileSync(fileURLToPath(script.url), 'utf8');
        const ranges = script.functions.flatMap((one) => one.ranges);
        const textOf = ({ startOffset, endOffset }: { startOffset: number; endOffset: number }) =>
          source.slice(startOffset, endOffset).replace(/\s+/g, ' ').trim();
        const isGuard = (text: string) =>
          GUARDS.some((guard) => guard.file === file && guard.text === text);
        const unreached = ranges.filter(({ count }) => count === 0);
        const missed = unreached.filter((range) => !isGuard(textOf(range)));
        const guards = unreached.length - missed.length;
        const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
        return [
          `${file}: ${ranges.length - unreached.length} of ${ranges.length - guards} blocks reached (and ${guards} guards)`,
          ...missed.map((range) => {
            const text = textOf(range).slice(0, 90);
            return `  not reached: line ${lineOf(range.startOffset)}: ${text}`;
          }),
        ];
      });
    },
  };
}
