/** A PDF's bytes, checked before pdf.js sees them: what it is, whether it is whole, what it unpacks to. */
import { StrideError } from '../../errors.ts';
import type { FileRef } from '../../loop/journal.ts';
import { detectFileType } from '../file-type.ts';
import { count } from '../truncate.ts';
import { findBomb } from './bombs.ts';
import { repairPdf } from './repair.ts';

/** Twice this and what pdf.js makes of it must fit a Worker's 128 MB. */
const MAX_PDF_BYTES = 26 * 1024 * 1024;

const MAX_TRAILER_BYTES = 65_536;
const END_MISSING = 'its end is missing';

/** Throws StrideError, one sentence that starts with the path, when the file must not be opened. */
export function checkSize({ path, bytes }: FileRef): void {
  if (bytes === 0) {
    throw new StrideError('invalid_input', `${path} is empty (0 bytes); answer without it.`);
  }
  if (bytes > MAX_PDF_BYTES) {
    throw new StrideError(
      'too_large',
      `${path} has ${count(bytes)} bytes, too many to be read here; use execute_python (PyMuPDF by requirements).`,
    );
  }
}

/** Throws as `checkSize` does: not a PDF at all, or one made to fill a memory. */
export async function checkBytes(
  bytes: Uint8Array,
  file: { path: string; signal: AbortSignal },
): Promise<void> {
  const { kind, label } = detectFileType(bytes);
  // Junk may stand before the header, and some files lack it: pdf.js decides about those.
  if (kind !== 'pdf' && !mentionsPdf(bytes)) {
    const next =
      kind === 'html' || kind === 'text'
        ? 'read_file shows its text'
        : 'open it with the tool for that type or with execute_python';
    throw new StrideError('invalid_input', `${file.path} is not a PDF but ${label}; ${next}.`);
  }
  const bomb = await findBomb(bytes, { images: false, signal: file.signal });
  if (bomb !== null) {
    throw new StrideError(
      'too_large',
      `${file.path} cannot be read here: ${bomb}; use execute_python (PyMuPDF by requirements) or answer without it.`,
    );
  }
}

/** An object of a PDF within the first kilobytes. */
function mentionsPdf(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4_096));
  return /%PDF-\d|\b\d+ \d+ obj\b/.test(head);
}

export interface CheckedPdf {
  /** The file's, or with a new end where its own was lost. */
  bytes: Uint8Array;
  /** What is wrong with the file as a whole, or null. */
  damage: string | null;
}

/** The bytes to open, mended where pdf.js would find no way in. */
export function mendPdf(bytes: Uint8Array): CheckedPdf {
  const damage = damageOf(bytes);
  const tail = new TextDecoder('latin1').decode(bytes.subarray(-MAX_TRAILER_BYTES));
  // With a trailer left, pdf.js finds the objects by itself, and encryption keeps working.
  const isLost = damage === END_MISSING && !/\btrailer\b[\s\S]*\/Root\b/.test(tail);
  return { bytes: (isLost ? repairPdf(bytes) : null) ?? bytes, damage };
}

/**
 * What is wrong with the file's frame, or null. pdf.js finds the objects of a damaged file by itself
 * and says nothing; whoever reads on should know that pages may be gone.
 */
function damageOf(bytes: Uint8Array): string | null {
  const tail = new TextDecoder('latin1').decode(bytes.subarray(-2_048));
  const starts = [...tail.matchAll(/startxref\s+(\d+)/g)];
  const last = starts.at(-1)?.[1];
  if (last === undefined) return END_MISSING;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024));
  const shift = Math.max(0, head.indexOf('%PDF-'));
  const at = Number(last);
  const found = [at, at + shift].find((place) => TABLE.test(textAt(bytes, place)));
  if (found === undefined) return 'its table of objects is missing';
  return leadsAstray(bytes, { table: found, shift }) ? 'its table of objects is wrong' : null;
}

const TABLE = /^\s*(xref|\d+\s+\d+\s+obj)/;

/** True when an entry of a plain table (not a packed one) leads to something else than its object. */
function leadsAstray(
  bytes: Uint8Array,
  { table, shift }: { table: number; shift: number },
): boolean {
  const lines = textAt(bytes, table, 2_000).split(/\r\n?|\n/);
  if (lines[0]?.trim() !== 'xref') return false;
  let number = 0;
  for (const line of lines.slice(1, -1)) {
    const start = /^\s*(\d+) \d+\s*$/.exec(line);
    const entry = /^\s*(\d{10}) \d{5} ([nf])/.exec(line);
    if (start !== null) number = Number(start[1]);
    else if (entry === null) return !/^\s*(trailer|$)/.test(line);
    else {
      const at = Number(entry[1]);
      const isObject = [at, at + shift].some((place) =>
        new RegExp(`^\\s*${number}\\s+\\d+\\s+obj`).test(textAt(bytes, place)),
      );
      if (entry[2] === 'n' && at > 0 && !isObject) return true;
      number++;
    }
  }
  return false;
}

function textAt(bytes: Uint8Array, at: number, length = 40): string {
  return new TextDecoder('latin1').decode(bytes.subarray(at, at + length));
}
