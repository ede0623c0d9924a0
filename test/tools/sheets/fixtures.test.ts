/**
 * Workbooks of other libraries, cell by cell: every file under test/fixtures/documents has beside it
 * what a person sees who opens it, written by the script that made the file (never by our readers).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../src/errors.ts';
import { cellAddress } from '../../../src/tools/sheets/addresses.ts';
import type { Book, Cell, SheetTail } from '../../../src/tools/sheets/book.ts';
import { openBook } from '../../../src/tools/sheets/open-book.ts';
import { compareSheet, type ExpectedSheet, matches, type ReadSheet } from './fixtures-compare.ts';

interface ExpectedBook {
  format: string | string[];
  sheets: ExpectedSheet[];
  /** Names that must be there; others may be. */
  names?: Record<string, string>;
  /** Patterns of which each fits a note; an empty list says that there is none. */
  notes?: string[];
  /** Pattern of the sentence why only heads may be read. */
  large?: string;
}

const FOLDER = new URL('../../fixtures/documents/', import.meta.url);
/** Cells of a large book that are looked at before the scan is stopped. */
const HEAD_CELLS = 200;

async function readSheet(book: Book, index: number, head: boolean): Promise<ReadSheet> {
  const cells: Cell[] = [];
  const onCell = (cell: Cell) => cells.push(cell) < HEAD_CELLS || !head;
  const tail: SheetTail = await book.scan(index, onCell, { signal: new AbortController().signal });
  const { name, state, kind } = book.sheets[index] ?? { name: '', state: 'visible', kind: 'cells' };
  return { name, state, kind, cells, tail };
}

async function differences(book: Book, expected: ExpectedBook): Promise<string[]> {
  const found: string[] = [];
  if (!matches(book.format, expected.format)) found.push(`the format is ${book.format}`);
  const names = book.sheets.map(({ name }) => name);
  const expectedNames = expected.sheets.map(({ name }) => name);
  if (names.join('|') !== expectedNames.join('|')) return [`the sheets are ${names.join(', ')}`];
  for (const [index, sheet] of expected.sheets.entries()) {
    const read = await readSheet(book, index, sheet.head === true);
    found.push(...compareSheet(read, sheet).map((words) => `${sheet.name}: ${words}`));
  }
  for (const [name, refersTo] of Object.entries(expected.names ?? {})) {
    const given = book.names.find((one) => one.name === name)?.refersTo;
    if (given !== refersTo) found.push(`the name ${name} refers to ${given}, not ${refersTo}`);
  }
  if (expected.notes?.length === 0 && book.notes.length > 0) {
    found.push(`notes where nothing is to be said: ${book.notes.join('; ')}`);
  }
  for (const pattern of expected.notes ?? []) {
    if (!book.notes.some((note) => new RegExp(pattern, 'i').test(note))) {
      found.push(`no note about ${pattern}: ${book.notes.join('; ') || 'none at all'}`);
    }
  }
  const large = expected.large === undefined ? null : new RegExp(expected.large, 'i');
  if (large === null ? book.large !== null : !large.test(book.large ?? '')) {
    found.push(`large is ${JSON.stringify(book.large)}`);
  }
  return found;
}

function fixtures(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, FOLDER))
    .filter((name) => !name.endsWith('.expected.json'))
    .sort();
}

for (const folder of ['xlsx', 'ods', 'xls', 'csv']) {
  describe(`openBook, files under ${folder}`, () => {
    it.each(fixtures(folder))('gives every cell of %s', async (name) => {
      const file = new URL(`${folder}/${name}`, FOLDER);
      const expected: ExpectedBook = JSON.parse(
        readFileSync(new URL(`${folder}/${name}.expected.json`, FOLDER), 'utf8'),
      );
      const book = await openBook(new Uint8Array(readFileSync(file)), name);
      expect(await differences(book, expected)).toEqual([]);
    });
  });
}

describe('openBook', () => {
  it('is tried on at least fifty files of other programs', () => {
    const counts = ['xlsx', 'ods', 'xls', 'csv'].map((folder) => fixtures(folder).length);
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(50);
  });

  it('stops a scan when asked to, and says that it is not complete', async () => {
    const file = new URL('xlsx/hand-large.xlsx', FOLDER);
    const book = await openBook(new Uint8Array(readFileSync(file)), 'hand-large.xlsx');
    const seen: string[] = [];
    const tail = await book.scan(0, (cell) => seen.push(cellAddress(cell.row, cell.column)) < 3, {
      signal: new AbortController().signal,
    });
    expect(seen).toEqual(['A1', 'B1', 'C1']);
    expect(tail.complete).toBe(false);
  });

  it.each(['xlsx/openpyxl-types.xlsx', 'ods/odfpy-types.ods', 'csv/comma.csv'])(
    'gives up on %s with what its signal was aborted with',
    async (path) => {
      const book = await openBook(new Uint8Array(readFileSync(new URL(path, FOLDER))), path);
      const signal = AbortSignal.abort(new StrideError('timeout', 'cancelled'));
      await expect(book.scan(0, () => true, { signal })).rejects.toThrow('cancelled');
    },
  );
});
