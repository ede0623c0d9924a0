/**
 * Colours and the one live line of a terminal. Without a terminal, with NO_COLOR set or with
 * TERM=dumb there are neither: the same text, line by line.
 */

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

/** SGR codes (ECMA-48 section 8.3.117): on, and off again. */
const CODES: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function createPaint(colored: boolean): Paint {
  if (!colored) return (_, text) => text;
  return (style, text) => `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m`;
}

/** https://no-color.org: any value but an empty one turns colours off. */
export function wantsColor(
  stream: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb';
}

export interface Terminal {
  /** Columns of a line; a wide guess where there is no terminal. */
  columns(): number;
  print(lines: string[]): void;
  /** Replaces the live line below the last printed one; null removes it. */
  status(text: string | null): void;
}

/** What of a stream is used, so that tests need none. */
export interface TerminalStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export function createTerminal(stream: TerminalStream, live: boolean): Terminal {
  let shown = false;
  // Back to the line's start, and erase to its end (ECMA-48: CR, EL).
  const clear = () => {
    if (shown) stream.write('\r\u001b[K');
    shown = false;
  };
  return {
    // Some pseudo-terminals say 0 for "unknown".
    columns: () => Math.max(40, Math.min(stream.columns || 140, 200)),
    print(lines) {
      clear();
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
    status(text) {
      if (!live) return;
      clear();
      if (text === null) return;
      stream.write(text);
      shown = true;
    },
  };
}
