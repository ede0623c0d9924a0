/**
 * The wrapper that marks text from outside (files, pages, programs) as data for the model. Put
 * round it once, when a result is written; fold and replay never touch it. Linear in the text.
 */

// One class and one literal: a run of spaces or slashes belongs to one `<` only.
const TAG = /<([\s/]*)untrusted_data/gi;
const WRAPPED = /^<untrusted_data source="([^"]*)">\n([\s\S]*)\n<\/untrusted_data>$/;

/** What `wrap` adds to the text at most, in UTF-8 bytes, for a source of up to 128 characters. */
export const WRAPPER_BYTES = 180;

/**
 * `<untrusted_data source="…">` round the text. Tags of the same name inside become
 * `untrusted-data` (same length), so text cannot end its own wrapper or open another one.
 */
export function wrap(text: string, source: string): string {
  const label = source.replace(/[^\w.:/-]/g, '_').slice(0, 128);
  const defused = text.replace(TAG, '<$1untrusted-data');
  return `<untrusted_data source="${label}">\n${defused}\n</untrusted_data>`;
}

/** The text inside one wrapper, defused tags left as they are; other text unchanged. */
export function unwrap(text: string): string {
  // The closing tag can only stand at the end: inside it was defused.
  if (!text.startsWith('<untrusted_data ')) return text;
  return WRAPPED.exec(text)?.[2] ?? text;
}
