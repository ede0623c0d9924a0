// Redis' glob patterns (KEYS, SCAN MATCH) over binary strings: * ? [a-z] [^a] and \ before a
// character that stands for itself. No I/O.

/** True when the whole text matches the pattern. */
export function globMatches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  // Where to take up again when what follows the last star did not fit.
  let starPattern = -1;
  let starText = 0;
  for (;;) {
    if (p < pattern.length && pattern[p] === '*') {
      p += 1;
      starPattern = p;
      starText = t;
      continue;
    }
    const next = t < text.length ? matchOne(pattern, p, text[t] ?? '') : -1;
    if (next >= 0) {
      p = next;
      t += 1;
      continue;
    }
    if (t === text.length && p === pattern.length) return true;
    if (starPattern < 0 || starText >= text.length) return false;
    starText += 1;
    p = starPattern;
    t = starText;
  }
}

/** Matches one character at `p`; the place after that element, or -1. */
function matchOne(pattern: string, p: number, character: string): number {
  const element = pattern[p];
  if (element === undefined) return -1;
  if (element === '?') return p + 1;
  if (element === '[') return matchClass(pattern, p + 1, character);
  const escaped = element === '\\' && p + 1 < pattern.length;
  const literal = escaped ? pattern[p + 1] : element;
  return literal === character ? p + (escaped ? 2 : 1) : -1;
}

function matchClass(pattern: string, start: number, character: string): number {
  let p = start;
  const negated = pattern[p] === '^';
  if (negated) p += 1;
  let found = false;
  for (; p < pattern.length && pattern[p] !== ']'; p += 1) {
    const low = pattern[p] ?? '';
    if (low === '\\' && p + 1 < pattern.length) {
      p += 1;
      if (pattern[p] === character) found = true;
    } else if (pattern[p + 1] === '-' && p + 2 < pattern.length) {
      const high = pattern[p + 2] ?? '';
      const [from, to] = low <= high ? [low, high] : [high, low];
      if (character >= from && character <= to) found = true;
      p += 2;
    } else if (low === character) {
      found = true;
    }
  }
  // A class that is never closed ends with the pattern.
  return found === negated ? -1 : Math.min(p + 1, pattern.length);
}
