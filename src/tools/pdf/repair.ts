/**
 * A PDF whose end was lost has neither its table of objects nor, often, its catalog, without which
 * pdf.js gives up. The objects themselves are still there: they are listed, those in object streams
 * unpacked, and a new end is written that leads to every page found.
 */
import { inflateParts } from './inflate-parts.ts';
import { joinBytes } from './png.ts';
import { findStreams } from './streams.ts';

/** The whole file is searched as text, which takes twice its size. */
const MAX_REPAIRED_BYTES = 12 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** A page's or catalog's dictionary; streams of other objects are not looked into. */
const MAX_OBJECT_CHARS = 4_000;

/** The file with a new end, or null when there is no page to lead to (or it is encrypted). */
export function repairPdf(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length > MAX_REPAIRED_BYTES) return null;
  const text = new TextDecoder('latin1').decode(bytes);
  if (/\/Encrypt\s+\d+\s+\d+\s+R/.test(text)) return null;
  const objects = new Map<number, string>();
  for (const match of text.matchAll(/(?<!\d)(\d{1,8})\s+\d{1,5}\s+obj\b/g)) {
    const start = match.index + match[0].length;
    const body = text.slice(start, start + MAX_OBJECT_CHARS);
    objects.set(Number(match[1]), body.split(/\bendobj\b|\bstream\r?\n/, 1)[0] ?? '');
  }
  const unpacked = unpackObjects(bytes, objects);
  const root = findCatalog(objects);
  const next = Math.max(0, ...objects.keys()) + 1;
  const pages = [...objects].filter(([, body]) => /\/Type\s*\/Page(?![A-Za-z])/.test(body));
  if (root === null && pages.length === 0) return null;
  const kids = pages.map(([number]) => `${number} 0 R`).join(' ');
  const tree = `${next} 0 obj\n<</Type/Catalog/Pages ${next + 1} 0 R>>\nendobj\n${next + 1} 0 obj\n<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>\nendobj\n`;
  const end = [
    '\nendstream\nendobj\n',
    unpacked,
    root === null ? tree : '',
    `trailer\n<</Size ${next + 2}/Root ${root ?? next} 0 R>>\nstartxref\n0\n%%EOF\n`,
  ].join('');
  return joinBytes([bytes, Uint8Array.from(end, (sign) => sign.charCodeAt(0) & 0xff)]);
}

/** The catalog whose page tree is still there. */
function findCatalog(objects: ReadonlyMap<number, string>): number | null {
  let found: number | null = null;
  for (const [number, body] of objects) {
    if (!/\/Type\s*\/Catalog\b/.test(body)) continue;
    const tree = Number(/\/Pages\s+(\d+)/.exec(body)?.[1] ?? -1);
    if (/\/Kids\b/.test(objects.get(tree) ?? '')) found = number;
  }
  return found;
}

/** Objects of object streams (ISO 32000-2, 7.5.7), as text and added to `objects`. */
function unpackObjects(bytes: Uint8Array, objects: Map<number, string>): string {
  const parts: string[] = [];
  let room = MAX_UNPACKED_BYTES;
  for (const { start, end, dictionary, filters } of findStreams(bytes)) {
    if (!/\/Type\s*\/ObjStm\b/.test(dictionary) || filters.join() !== 'FlateDecode') continue;
    const text = inflateText(bytes.subarray(start, end), room);
    room -= text.length;
    const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1] ?? 0);
    const pairs = text.slice(0, first).match(/\d+/g)?.map(Number) ?? [];
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [number = 0, from = 0] = pairs.slice(at, at + 2);
      const body = text.slice(first + from, first + (pairs[at + 3] ?? text.length));
      if (body.trim() === '') continue;
      objects.set(number, body);
      parts.push(`${number} 0 obj\n${body}\nendobj\n`);
    }
  }
  return parts.join('');
}

/** Latin-1 in the strict sense, a character a byte, unlike the decoder of that name. */
function inflateText(packed: Uint8Array, max: number): string {
  let text = '';
  inflateParts(packed, (part) => {
    for (const byte of part) text += String.fromCharCode(byte);
    return text.length < max;
  });
  return text;
}
