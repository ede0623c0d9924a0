/** Commands that are a little wrong, and those no two servers can run at the same moment. */
import type { Source } from './commands.ts';

/** Leaves out, adds or spoils a word; the name stays a name of the engine. */
export function spoil({ random, words }: Source, command: string[]): string[] {
  const place = 1 + random.int(command.length);
  switch (random.int(4)) {
    case 0:
      return command.slice(0, -1).length > 0 ? command.slice(0, -1) : command;
    case 1:
      return [...command, words.value()];
    case 2:
      return command.map((word, index) => (index === place ? words.value() : word));
    default:
      return command.map((word, index) => (index === 0 || index === place ? swapCase(word) : word));
  }
}

const swapCase = (word: string) =>
  word.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );

/** A time within this would come at a slightly different moment on each side. */
const UNSTEADY_MS = 3_600_000;
const UNITS_MS: Record<string, number> = { EX: 1_000, PX: 1, EXAT: 1_000, PXAT: 1 };

/** Also true for a SET whose time is over: DBSIZE of Redis counts its key until it finds the time. */
export function endsSoon(command: string[]): boolean {
  const words = command.map((word) => word.toUpperCase());
  const isSoon = (time: string | undefined, unitMs: number, latest = UNSTEADY_MS) => {
    const ms = Number(time) * unitMs;
    return ms > 0 && ms < latest;
  };
  if (words[0] === 'EXPIRE') return isSoon(words[2], 1_000);
  if (words[0] === 'PEXPIRE') return isSoon(words[2], 1);
  if (words[0] !== 'SET') return false;
  return words.some((word, i) => {
    const latest = word.endsWith('AT') ? Date.now() + UNSTEADY_MS : UNSTEADY_MS;
    const unitMs = UNITS_MS[word];
    return unitMs !== undefined && isSoon(words[i + 1], unitMs, latest);
  });
}
