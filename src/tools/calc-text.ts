/**
 * What people and models type → plain arithmetic: ×, ÷, −, full-width digits, superscripts,
 * thousands separators. Says what it read differently from what was written. No evaluation.
 */

const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['·', '*'],
  ['⋅', '*'],
  ['∙', '*'],
  ['∗', '*'],
  ['÷', '/'],
  ['⁄', '/'],
  ['∕', '/'],
  ['−', '-'],
  ['–', '-'],
  ['—', '-'],
  ['≤', '<='],
  ['≥', '>='],
  ['≠', '!='],
  ['％', '%'],
  ['√', 'sqrt'],
  ['\u00a0', ' '],
  ['\u2009', ' '],
  ['\u202f', ' '],
  ['\u3000', ' '],
]);
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The expression in plain characters, and a note for each number that held separators. */
export function plainExpression(source: string): { text: string; notes: string[] } {
  const plain = [...source.trim()]
    .map((char) => SYMBOLS.get(char) ?? halfWidth(char))
    .join('')
    // `x²` is x^2; turning ² into 2 first would make 5² into 52.
    .replace(/⁻?[⁰¹²³⁴-⁹]+/gu, (digits) => `^(${superscript(digits)})`)
    .replace(/(\d)_(?=\d)/g, '$1')
    .replace(/=[ \t]*\??$/, '');
  return joinThousands(plain);
}

function halfWidth(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0xff01 && code <= 0xff5e ? String.fromCodePoint(code - 0xfee0) : char;
}

function superscript(digits: string): string {
  return [...digits].map((digit) => (digit === '⁻' ? '-' : SUPERSCRIPTS.indexOf(digit))).join('');
}

/**
 * 1,234,567 → 1234567, but only where a comma cannot separate arguments: outside the brackets of
 * lists and function calls. Elsewhere `max(1,234)` keeps its two arguments.
 */
function joinThousands(text: string): { text: string; notes: string[] } {
  const brackets: ('list' | 'group')[] = [];
  const notes: string[] = [];
  const grouped = /\d{1,3}(?:,\d{3})+(?![\d,]*\d)/y;
  let out = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === '(') brackets.push(/[\p{L}\p{N}_]\s*$/u.test(out.slice(-40)) ? 'list' : 'group');
    else if (char === '[') brackets.push('list');
    else if (char === ')' || char === ']') brackets.pop();
    grouped.lastIndex = at;
    const isStart = /\d/.test(char) && !/[\p{L}\d_.,]$/u.test(out);
    const match = isStart && brackets.at(-1) !== 'list' ? grouped.exec(text) : null;
    if (match === null) {
      out += char;
      at++;
      continue;
    }
    const joined = match[0].replaceAll(',', '');
    notes.push(`${match[0]} read as ${joined}`);
    out += joined;
    at += match[0].length;
  }
  return { text: out, notes };
}
