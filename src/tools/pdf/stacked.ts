/**
 * Vertical writing without a vertical font: browsers print each sign by itself, one under the other.
 * Such stacks are found in the order of the file and turned like vertical text. Pure geometry.
 */
import type { Run } from './runs.ts';

const ONE_IDEOGRAPH =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]$/u;
const MIN_STACK = 3;

/** Runs of stacks, level after a quarter turn (as vertical fonts' are), and all others. */
export function takeStacked(runs: readonly Run[]): { stacked: Run[]; others: Run[] } {
  const stacked: Run[] = [];
  const others: Run[] = [];
  let stack: Run[] = [];
  const flush = () => {
    if (stack.length >= MIN_STACK) stacked.push(...stack.map(turned));
    else others.push(...stack);
    stack = [];
  };
  for (const run of runs) {
    const above = stack.at(-1);
    if (above !== undefined && !isBelow(run, above)) flush();
    if (ONE_IDEOGRAPH.test(run.text)) stack.push(run);
    else {
      flush();
      others.push(run);
    }
  }
  flush();
  return { stacked, others };
}

/** One sign further down; punctuation may sit up to half a sign aside. */
function isBelow(run: Run, above: Run): boolean {
  const step = (run.y - above.y) / above.size;
  return step > 0.5 && step < 1.6 && Math.abs(run.x0 - above.x0) < 0.6 * above.size;
}

function turned(run: Run): Run {
  return { ...run, x0: run.y - run.size, x1: run.y, y: -(run.x0 + run.x1) / 2 };
}
