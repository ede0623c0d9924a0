import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../../src/errors.ts';
import type { Cell } from '../../../../src/tools/sheets/book.ts';
import { MAX_BOOK_BYTES } from '../../../../src/tools/sheets/book.ts';
import { openCsv } from '../../../../src/tools/sheets/csv/open-csv.ts';

const { signal } = new AbortController();

async function read(content: string | Uint8Array, name = 'data/table.csv') {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const book = await openCsv(bytes, name);
  const cells: Cell[] = [];
  const tail = await book.scan(
    0,
    (cell) => {
      cells.push(cell);
      return true;
    },
    { signal },
  );
  return { book, cells, tail };
}

/** Rows of texts; cells that are not there are null. */
async function grid(content: string | Uint8Array) {
  const { cells } = await read(content);
  const rows: (string | null)[][] = [];
  for (const { row, column, text } of cells) {
    while (rows.length <= row) rows.push([]);
    const fields = rows[row] ?? [];
    while (fields.length < column) fields.push(null);
    fields.push(text);
  }
  return rows;
}

const tables: [what: string, content: string, rows: (string | null)[][]][] = [
  [
    'comma',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'semicolon with decimal commas',
    'a;b\n1,5;2,5\n3,5;4,5\n',
    [
      ['a', 'b'],
      ['1,5', '2,5'],
      ['3,5', '4,5'],
    ],
  ],
  [
    'semicolon without a header',
    '1,5;2,5\n3,5;4,5\n',
    [
      ['1,5', '2,5'],
      ['3,5', '4,5'],
    ],
  ],
  [
    'tab with commas in prose',
    'a\tb\nx, y, z\t2\nu\t3\n',
    [
      ['a', 'b'],
      ['x, y, z', '2'],
      ['u', '3'],
    ],
  ],
  [
    'vertical bar',
    'a|b\n1|2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'comma with semicolons in some cells',
    'name,tags\nx,p;q\ny,p\n',
    [
      ['name', 'tags'],
      ['x', 'p;q'],
      ['y', 'p'],
    ],
  ],
  ['one column', 'a\nb\nc', [['a'], ['b'], ['c']]],
  ['a title above the table', 'Report\n\na;b\n1;2\n', [['Report'], [], ['a', 'b'], ['1', '2']]],
  ['sep= in the first line', 'sep=;\na,b;c\n', [['a,b', 'c']]],
  [
    'quotes with line ends, delimiters and doubled quotes',
    '"a\nb","say ""hi""","x,y"\n1,2,3\n',
    [
      ['a\nb', 'say "hi"', 'x,y'],
      ['1', '2', '3'],
    ],
  ],
  [
    'CRLF',
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['CRLF inside quotes', '"a\r\nb",c\r\n', [['a\nb', 'c']]],
  [
    'CR alone',
    'a,b\r1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'rows of unequal length and empty cells',
    'a,b,c\n1,,3\n,\n4,5,6,7\n',
    [['a', 'b', 'c'], ['1', null, '3'], [], ['4', '5', '6', '7']],
  ],
  [
    'a byte order mark',
    '\ufeffa,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'spaces as written',
    ' a , b\n 1 , 2',
    [
      [' a ', ' b'],
      [' 1 ', ' 2'],
    ],
  ],
  [
    'quotes inside a quoted cell that are not doubled',
    '"He said "hi" to me",2\n3,4\n',
    [
      ['He said "hi" to me', '2'],
      ['3', '4'],
    ],
  ],
];

describe('openCsv', () => {
  it.each(tables)('reads %s', async (_what, content, rows) => {
    expect(await grid(content)).toEqual(rows);
  });

  const kinds: [text: string, kind: Cell['kind']][] = [
    ['0', 'number'],
    ['-12.50', 'number'],
    ['1e-7', 'number'],
    ['12345678901234567890', 'number'],
    ['007', 'text'],
    ['+5', 'text'],
    ['.5', 'text'],
    ['1.', 'text'],
    ['1 000', 'text'],
    ['12%', 'text'],
    ['$5', 'text'],
    ['TRUE', 'text'],
    ['2024-03-01', 'text'],
    ['NaN', 'text'],
    [' 5', 'text'],
  ];
  it.each(kinds)('keeps %s as written, as %s', async (text, kind) => {
    const { cells } = await read(`${text}\tx\n`);
    expect(cells[0]).toEqual({ row: 0, column: 0, kind, text });
  });

  it('names the sheet after the file and says which delimiter it found', async () => {
    const { book, tail } = await read('a;b\n1;2\n', 'up/sales.2024.csv');
    expect(book.sheets).toEqual([{ name: 'sales.2024', state: 'visible', kind: 'cells' }]);
    expect(book.notes).toEqual(['Cells are separated by semicolons (;).']);
    expect(book).toMatchObject({ format: 'csv', large: null, names: [] });
    expect(tail).toMatchObject({ complete: true, notes: [], merges: [], filter: null });
  });

  it('calls a table with tabs tsv', async () => {
    expect((await read('a\tb\n1\t2\n')).book.format).toBe('tsv');
  });

  it('reads UTF-16, GB18030 and Windows-1252 and says so', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, 0x61, 0, 0x3b, 0, 0x2d, 0x4e, 0x0a, 0]);
    expect(await grid(utf16)).toEqual([['a', '中']]);
    const chinese = new Uint8Array([0xd6, 0xd0, 0xce, 0xc4, 0x2c, 0x31, 0x0a]);
    expect(await grid(chinese)).toEqual([['中文', '1']]);
    const western = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x2c, 0x80, 0x35, 0x0a]);
    const { cells, book } = await read(western);
    expect(cells.map(({ text }) => text)).toEqual(['café', '€5']);
    expect(book.notes).toEqual([
      'The file is not UTF-8 and was read as Windows-1252 (Western European).',
    ]);
  });

  it('finds an accent far behind the head to be Windows-1252', async () => {
    const bytes = new TextEncoder().encode(`${'abc,1\n'.repeat(20_000)}cafX,2\n`);
    bytes[bytes.length - 4] = 0xe9;
    const { cells } = await read(bytes);
    expect(cells.at(-2)?.text).toBe('café');
  });

  it('keeps UTF-8 when only a byte far behind the head is broken', async () => {
    const bytes = new TextEncoder().encode(`${'né,1\n'.repeat(20_000)}cafX,2\n`);
    bytes[bytes.length - 4] = 0xe9;
    const { cells, book } = await read(bytes);
    expect(cells[0]?.text).toBe('né');
    expect(cells.at(-2)?.text).toBe('caf\ufffd');
    expect(book.notes).toEqual(['Some bytes are not valid UTF-8 and stand as U+FFFD.']);
  });

  it('reads the line alone where a quote never closes, and says which', async () => {
    const { cells, tail } = await read('a,b\n"open,2\n3,"x, y"\n5,6\n');
    expect(cells.map(({ text }) => text)).toEqual(['a', 'b', '"open', '2', '3', 'x, y', '5', '6']);
    expect(tail.notes).toEqual([
      'Quotes (") in row 2 do not close; there the line was read as the row.',
    ]);
  });

  it('does not swallow rows behind text after a closing quote', async () => {
    const { cells, tail } = await read('x,y\n"5" pipe,1\n7,8\n"6, long",2\n');
    expect(cells.map(({ text }) => text)).toEqual([
      'x',
      'y',
      '5 pipe',
      '1',
      '7',
      '8',
      '6, long',
      '2',
    ]);
    expect(tail.notes).toHaveLength(1);
  });

  it('reads line by line once many rows have bad quotes', async () => {
    const { cells, tail } = await read(`${'"a,1\n'.repeat(2_000)}"b, c",2\n`);
    expect(cells).toHaveLength(4_002);
    expect(cells.at(-2)).toMatchObject({ row: 2_000, column: 0, text: 'b, c' });
    expect(tail.notes[0]).toContain('from row 20 on each line was read as a row');
  });

  it('gives the same cells across the borders of its chunks', async () => {
    const rows = Array.from({ length: 30_000 }, (_, row) => `${row},"é, ""${row}""\r\nx",ü`);
    const { cells, tail } = await read(rows.join('\r\n'));
    expect(cells).toHaveLength(90_000);
    const wrong = cells.filter(({ row, column, text }) => {
      return text !== [`${row}`, `é, "${row}"\nx`, 'ü'][column];
    });
    expect(wrong).toEqual([]);
    expect(tail.complete).toBe(true);
  });

  it('stops when told to and says that the scan is not complete', async () => {
    const book = await openCsv(new TextEncoder().encode('a,b\nc,d\n'), 'x.csv');
    const seen: string[] = [];
    const tail = await book.scan(
      0,
      ({ text }) => {
        seen.push(text);
        return seen.length < 2;
      },
      { signal },
    );
    expect(seen).toEqual(['a', 'b']);
    expect(tail.complete).toBe(false);
  });

  it('throws what the signal is aborted with', async () => {
    const book = await openCsv(new TextEncoder().encode('a,b\n'), 'x.csv');
    const gone = AbortSignal.abort(new Error('cancelled by a person'));
    await expect(book.scan(0, () => true, { signal: gone })).rejects.toThrow(
      'cancelled by a person',
    );
  });

  it('says that a file of 0 bytes is empty', async () => {
    await expect(openCsv(new Uint8Array(0), 'x.csv')).rejects.toThrow(
      /^x\.csv is empty \(0 bytes\)/,
    );
  });

  it('refuses a row without end in one sentence', async () => {
    const book = await openCsv(new TextEncoder().encode('x'.repeat(3_000_000)), 'x.csv');
    const failure = await book.scan(0, () => true, { signal }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StrideError);
    expect(String(failure)).toContain('row 1 is longer than 1 MB');
  });

  it('is large above the limit, and still streams', async () => {
    const line = new TextEncoder().encode('1234567,abcdefg,1\n');
    const bytes = new Uint8Array(MAX_BOOK_BYTES + line.length);
    for (let at = 0; at + line.length <= bytes.length; at += line.length) bytes.set(line, at);
    const book = await openCsv(bytes, 'big.csv');
    expect(book.large).toBe('it has 20 MB, more than 20 MB');
    let count = 0;
    await book.scan(0, () => ++count < 1000, { signal });
    expect(count).toBe(1000);
  });
});
