/** The signs of a text as they are meant: what fonts and typesetting made of them is undone. Pure. */

const CONTROLS = /[\p{Cc}\u200b\ufeff]+/gu;
const IDEOGRAPHS =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60])/u;
const SPACED_IDEOGRAPHS = new RegExp(
  `${IDEOGRAPHS.source} (?=[\\p{L}\\u3000-\\u303f\\uff00-\\uff60])`,
  'gu',
);
/** Radicals and upright punctuation that fonts name in place of the sign itself. */
const COMPATIBLE = /[\u2f00-\u2fd5\ufe10-\ufe19\ufe30-\ufe44\ufb00-\ufb06]/g;
/** No controls, no ligatures, no blanks where wide-set ideographs only seem to have them. */
export function cleanText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(CONTROLS, '')
    .replace(COMPATIBLE, (sign) => sign.normalize('NFKC'))
    .replace(/\u00ad$/, '-')
    .replaceAll('\u00a0', ' ');
  const seeming = plain.match(SPACED_IDEOGRAPHS)?.length ?? 0;
  // One blank may be meant; a blank after every other sign is letter-spacing.
  return seeming >= 2 && seeming * 3 >= plain.length ? plain.replace(SPACED_IDEOGRAPHS, '') : plain;
}
