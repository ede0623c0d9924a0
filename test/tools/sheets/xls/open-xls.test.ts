import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../../src/errors.ts';
import { openXls } from '../../../../src/tools/sheets/xls/open-xls.ts';
import { damaged, readWhole } from '../book-cells.ts';
import {
  biffStream,
  cellRec,
  f64,
  font,
  formula,
  latin,
  num,
  type Rec,
  type SheetSpec,
  special,
  u16,
  u32,
  wide,
  xf8,
} from './biff.ts';

const FOLDER = new URL('../../../fixtures/documents/xls/', import.meta.url);
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, FOLDER)));

/** Opens a BIFF8 stream of one sheet and reads it. */
async function read(records: readonly Rec[], globals: readonly Rec[] = []) {
  const book = await openXls(biffStream(8, { globals, sheets: [{ name: 'S', records }] }), 'x.xls');
  return { book, ...(await readWhole(book)) };
}

const text8 = (text: string) => [...u16(text.length), 1, ...wide(text)];

describe('openXls, values', () => {
  const values: [what: string, record: Rec, cell: object][] = [
    ['a float', num(0, 0, 0.1), { kind: 'number', text: '0.1' }],
    ['minus zero', num(0, 0, -0), { kind: 'number', text: '0' }],
    [
      'an integer packed',
      cellRec(0x27e, [0, 0], u32((-7 << 2) | 2)),
      { kind: 'number', text: '-7' },
    ],
    [
      'hundredths packed',
      cellRec(0x27e, [0, 0], u32((123 << 2) | 3)),
      { kind: 'number', text: '1.23' },
    ],
    [
      'half a float packed',
      cellRec(0x27e, [0, 0], [0, 0, ...f64(1.5).slice(6)]),
      { kind: 'number', text: '1.5' },
    ],
    ['a truth value', cellRec(0x205, [0, 0], [1, 0]), { kind: 'boolean', text: 'TRUE' }],
    ['an error', cellRec(0x205, [0, 0], [42, 1]), { kind: 'error', text: '#N/A' }],
    [
      'a text of its own',
      cellRec(0x204, [0, 0], text8('a 中\r\nb')),
      { kind: 'text', text: 'a 中\nb' },
    ],
    [
      'a formula with a number',
      formula(0, 0, { result: f64(2.5) }),
      { kind: 'number', text: '2.5', formula: '1' },
    ],
    [
      'a formula with a truth value',
      formula(0, 0, { result: special(1, 0) }),
      { kind: 'boolean', text: 'FALSE', formula: '1' },
    ],
    [
      'a formula with an error',
      formula(0, 0, { result: special(2, 7) }),
      { kind: 'error', text: '#DIV/0!', formula: '1' },
    ],
  ];
  it.each(values)('reads %s', async (_what, record, cell) => {
    expect((await read([record])).at).toEqual({ A1: cell });
  });

  it('reads rows of packed numbers', async () => {
    const packed = [5, 6, 7].flatMap((value) => [...u16(0), ...u32((value << 2) | 2)]);
    const { at } = await read([[0xbd, [...u16(1), ...u16(2), ...packed, ...u16(4)]]]);
    expect(Object.entries(at).map(([address, { text }]) => `${address}=${text}`)).toEqual([
      'C2=5',
      'D2=6',
      'E2=7',
    ]);
  });

  it('reads the text of a formula from the record behind it, also when that is continued', async () => {
    const { at } = await read([
      formula(0, 0, { result: special(0) }),
      [0x207, [...u16(6), 0, ...latin('abc')]],
      [0x3c, [1, ...wide('中é!')]],
      formula(1, 0, { result: special(0) }),
      [0x207, text8('two')],
    ]);
    expect(at.A1).toEqual({ kind: 'text', text: 'abc中é!', formula: '1' });
    expect(at.A2).toEqual({ kind: 'text', text: 'two', formula: '1' });
  });

  it('says that formulas are not computed when none of the sheet has a result', async () => {
    const empty = formula(0, 0, { result: special(3) });
    const zero = formula(1, 0, { result: f64(0), flags: 1 });
    const { at } = await read([empty, zero]);
    expect(at.A1).toEqual({ kind: 'empty', text: '', formula: '1', uncomputed: true });
    expect(at.A2).toEqual(at.A1);
    const mixed = await read([empty, zero, formula(2, 0, { result: f64(4) })]);
    expect(mixed.at.A1).toEqual({ kind: 'text', text: '', formula: '1' });
    expect(mixed.at.A2).toEqual({ kind: 'number', text: '0', formula: '1' });
  });

  it('gives cells by row and column though the file has them in another order', async () => {
    const { cells } = await read([num(2, 0, 1), num(0, 3, 2), num(0, 1, 3), num(2, 1, 4)]);
    expect(cells.map(({ row, column }) => [row, column])).toEqual([
      [0, 1],
      [0, 3],
      [2, 0],
      [2, 1],
    ]);
  });

  it('does not take the cells of a chart in the sheet for its own', async () => {
    const bof: Rec = [0x809, [...u16(0x600), ...u16(0x20), ...u32(0), ...u32(0)]];
    const { at } = await read([num(0, 0, 1), bof, num(0, 0, 99), [0x0a, []], num(1, 0, 2)]);
    expect(at).toEqual({ A1: { kind: 'number', text: '1' }, A2: { kind: 'number', text: '2' } });
  });

  it('reads dates by the date system and format of the file', async () => {
    const format: Rec = [0x41e, [...u16(164), ...u16(10), 0, ...latin('yyyy-mm-dd')]];
    const globals = [format, xf8({}), xf8({ format: 164 }), xf8({ format: 20 })];
    const records = [num(0, 0, 45352, 1), num(1, 0, 0.5, 2), num(2, 0, 45352)];
    const { at, book } = await read(records, globals);
    expect(at.A1).toEqual({ kind: 'date', text: '2024-03-01', style: { format: 'yyyy-mm-dd' } });
    expect(at.A2).toEqual({ kind: 'date', text: '12:00:00', style: { format: 'h:mm' } });
    expect(at.A3).toEqual({ kind: 'number', text: '45352' });
    expect(book.notes).toEqual([]);
    const mac = await read(records, [[0x22, u16(1)], ...globals]);
    expect(mac.at.A1?.text).toBe('2028-03-02');
    expect(mac.book.notes).toEqual(['Dates of this book count from 1904 and are shown converted.']);
  });
});

describe('openXls, shared texts', () => {
  /** SST of these texts; each entry its bytes from the length on. */
  const sst = (texts: number[][]): Rec => [
    0xfc,
    [...u32(texts.length), ...u32(texts.length), ...texts.flat()],
  ];
  const label = (row: number, index: number): Rec => cellRec(0xfd, [row, 0], u32(index));

  it('reads texts that a new record continues in another width', async () => {
    const table = sst([text8('first'), [...u16(8), 0, ...latin('abcd')]]);
    const rest: Rec = [0x3c, [1, ...wide('中efg'), ...u16(2), 0, ...latin('ok')]];
    const counted: Rec = [table[0], [...u32(3), ...u32(3), ...table[1].slice(8)]];
    const { at } = await read([label(0, 0), label(1, 1), label(2, 2)], [counted, rest]);
    expect([at.A1?.text, at.A2?.text, at.A3?.text]).toEqual(['first', 'abcd中efg', 'ok']);
  });

  it('gives the parts of a rich text that look different', async () => {
    const fonts = [font({}), font({}), font({}), font({}), font({ weight: 700, color: 10 })];
    const runs = [...u16(4), ...u16(5), ...u16(8), ...u16(0)];
    const rich = [...u16(11), 8, ...u16(2), ...latin('some bold x'), ...runs];
    // Text of East Asian reading aids stands behind the characters and is none of it.
    const extra = [...u16(2), 5, ...u32(3), ...wide('東京'), 9, 9, 9];
    const { at } = await read(
      [label(0, 0), label(1, 1), label(2, 2)],
      [...fonts, xf8({}), sst([rich, extra, text8('z')])],
    );
    expect(at.A1?.runs).toEqual([
      { text: 'some' },
      { text: ' bol', style: { bold: true, color: '#FF0000' } },
      { text: 'd x' },
    ]);
    expect(at.A2).toEqual({ kind: 'text', text: '東京' });
    expect(at.A3).toEqual({ kind: 'text', text: 'z' });
  });

  it('leaves out a cell whose text is not in the table', async () => {
    const { at } = await read([label(0, 7), num(1, 0, 3)], [sst([text8('a')])]);
    expect(Object.keys(at)).toEqual(['A2']);
  });
});

describe('openXls, looks', () => {
  it('reads fonts, fills and colours of the palette', async () => {
    const palette: Rec = [0x92, [...u16(2), 1, 2, 3, 0, 0xaa, 0xbb, 0xcc, 0]];
    const globals = [
      palette,
      font({}),
      font({ flags: 2 | 8, weight: 700, underline: 1, color: 9 }),
      xf8({}),
      xf8({ font: 1, pattern: 1, fore: 8 }),
      xf8({ pattern: 1, fore: 13 }),
      xf8({ pattern: 0, fore: 13 }),
    ];
    const { at } = await read(
      [
        num(0, 0, 1, 1),
        num(0, 1, 1, 2),
        num(0, 2, 1, 3),
        cellRec(0x201, [1, 0, 2]),
        cellRec(0x201, [1, 1, 3]),
      ],
      globals,
    );
    expect(at.A1?.style).toEqual({
      fill: '#010203',
      color: '#AABBCC',
      bold: true,
      italic: true,
      strike: true,
      underline: true,
    });
    expect(at.B1?.style).toEqual({ fill: '#FFFF00' });
    expect(at.C1?.style).toBeUndefined();
    expect(at.A2).toEqual({ kind: 'empty', text: '', style: { fill: '#FFFF00' } });
    expect(at.B2).toBeUndefined();
  });

  it('prefers the true colours that newer Excel adds', async () => {
    const rgb = (kind: number, hex: number[]) => [
      ...u16(kind),
      ...u16(20),
      ...u16(2),
      ...u16(0),
      ...hex,
      255,
      ...u32(0),
      ...u32(0),
    ];
    const extras: Rec = [
      0x87d,
      [
        ...u16(0x87d),
        ...u16(0),
        ...u32(0),
        ...u32(0),
        ...u16(0),
        ...u16(1),
        ...u16(0),
        ...u16(2),
        ...rgb(4, [0x92, 0xd0, 0x50]),
        ...rgb(13, [0x70, 0x30, 0xa0]),
      ],
    ];
    const { at } = await read(
      [num(0, 0, 1, 1)],
      [font({}), xf8({}), xf8({ pattern: 1, fore: 11 }), extras],
    );
    expect(at.A1?.style).toEqual({ fill: '#92D050', color: '#7030A0' });
  });

  it('reads the shorter formats and the code page of BIFF5', async () => {
    const xf5: Rec = [
      0xe0,
      [...u16(1), ...u16(0), ...u16(0), 0, 0, ...u32(13 | (1 << 16)), ...u32(0)],
    ];
    const cyrillic = [0xcf, 0xf0, 0xe8];
    const records = [cellRec(0x204, [0, 0], [...u16(3), ...cyrillic])];
    const bytes = biffStream(5, {
      globals: [[0x42, u16(1251)], font({}), font({ weight: 700 }), xf5],
      sheets: [{ name: 'S', records }],
    });
    const { at } = await readWhole(await openXls(bytes, 'x.xls'));
    expect(at.A1).toEqual({ kind: 'text', text: 'При', style: { fill: '#FFFF00', bold: true } });
  });
});

describe('openXls, around the cells', () => {
  it('tells hidden, very hidden and chart sheets, and leaves out modules', async () => {
    const sheets: SheetSpec[] = [
      { name: 'Ä', records: [num(0, 0, 1)] },
      { name: 'Module', records: [], kind: 6 },
      { name: 'H', records: [num(0, 0, 2)], hidden: 1 },
      { name: 'V', records: [num(0, 0, 3)], hidden: 2 },
      { name: 'C', records: [num(0, 0, 4)], kind: 2 },
    ];
    const book = await openXls(biffStream(8, { sheets }), 'x.xls');
    expect(book.sheets).toEqual([
      { name: 'Ä', state: 'visible', kind: 'cells' },
      { name: 'H', state: 'hidden', kind: 'cells' },
      { name: 'V', state: 'very hidden', kind: 'cells' },
      { name: 'C', state: 'visible', kind: 'chart' },
    ]);
    expect((await readWhole(book, 2)).at).toEqual({ A1: { kind: 'number', text: '3' } });
    expect((await readWhole(book, 3)).cells).toEqual([]);
  });

  it('tells hidden rows and columns, merged cells', async () => {
    const row = (index: number, flags: number): Rec => [
      0x208,
      [...u16(index), ...u32(0), ...u16(255), ...u32(0), ...u32(flags)],
    ];
    const { tail } = await read([
      [0x7d, [...u16(2), ...u16(300), ...u16(0), ...u16(0), ...u16(1), ...u16(0)]],
      row(3, 0x20),
      row(4, 0x20),
      row(5, 0),
      row(7, 0x20),
      num(0, 0, 1),
      [0xe5, [...u16(1), ...u16(1), ...u16(2), ...u16(3), ...u16(4)]],
    ]);
    expect(tail).toMatchObject({
      complete: true,
      hiddenRows: [
        { from: 3, to: 4 },
        { from: 7, to: 7 },
      ],
      hiddenColumns: [{ from: 2, to: 255 }],
      merges: [{ rows: { from: 1, to: 2 }, columns: { from: 3, to: 4 } }],
    });
  });

  it('reads links, also one over the whole sheet, and keeps formulas that stand there', async () => {
    const link = (rows: number, url: string): Rec => {
      const moniker = [
        0xe0, 0xc9, 0xea, 0x79, 0xf9, 0xba, 0xce, 0x11, 0x8c, 0x82, 0, 0xaa, 0, 0x4b, 0xa9, 0x0b,
      ];
      const target = [...wide(url), 0, 0];
      return [
        0x1b8,
        [
          ...u16(0),
          ...u16(rows),
          ...u16(0),
          ...u16(255),
          ...new Array<number>(16).fill(0),
          ...u32(2),
          ...u32(3),
          ...moniker,
          ...u32(target.length),
          ...target,
        ],
      ];
    };
    const { tail, at } = await read([
      formula(0, 0, { result: f64(1) }),
      link(0, 'https://example.org/a'),
      link(65535, 'https://example.org/b'),
    ]);
    expect(at.A1?.formula).toBe('1');
    expect(tail.links.map(({ target, range }) => [target, range.rows.to])).toEqual([
      ['https://example.org/a', 0],
      ['https://example.org/b', 65535],
    ]);
  });

  it('reads comments, links and formulas of LibreOffice', async () => {
    const { tail, at } = await readWhole(await openXls(fixture('libreoffice-ledger.xls'), 'l.xls'));
    expect(tail.comments.map(({ text }) => text)).toEqual(['too dear?']);
    expect(tail.links[0]?.target).toMatch(/^https:\/\/example\.org\/rent/);
    expect(at.B5).toMatchObject({ text: '1198.75', formula: 'SUM(B2:B4)' });
  });

  it('shows results without formulas where there are too many', async () => {
    const many = Array.from({ length: 25_001 }, (_, row) =>
      formula(row % 60_000, 0, { result: f64(row) }),
    );
    const { book, at } = await read(many);
    expect(book.notes).toEqual(['The 25001 formulas are too many to be shown; their results are.']);
    expect(at.A25001).toEqual({ kind: 'number', text: '25000' });
  });

  it('stops when told to, and when the signal says so', async () => {
    const bytes = biffStream(8, { sheets: [{ name: 'S', records: [num(0, 0, 1), num(0, 1, 2)] }] });
    const book = await openXls(bytes, 'x.xls');
    const tail = await book.scan(0, () => false, { signal: new AbortController().signal });
    expect(tail.complete).toBe(false);
    const gone = AbortSignal.abort(new Error('cancelled by a person'));
    await expect(book.scan(0, () => true, { signal: gone })).rejects.toThrow(
      'cancelled by a person',
    );
  });
});

describe('openXls, broken files', () => {
  const sentence = async (bytes: Uint8Array) => {
    const failure: unknown = await openXls(bytes, 'x.xls').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StrideError);
    return failure instanceof StrideError ? failure.message : '';
  };

  it('says that a password is needed', async () => {
    const sheets = [{ name: 'S', records: [num(0, 0, 1)] }];
    const bytes = biffStream(8, { globals: [[0x2f, [0, 0, 1, 2, 3, 4]]], sheets });
    expect(await sentence(bytes)).toMatch(/^x\.xls is protected by a password; /);
  });

  it('says that Excel 4 and older are not read', async () => {
    expect(await sentence(Uint8Array.from([9, 4, 6, 0, 0, 0, 0x10, 0, 0, 0]))).toContain('xlrd');
  });

  it('says that bytes without sheets are damaged', async () => {
    expect(await sentence(new Uint8Array(600))).toMatch(/^x\.xls is damaged /);
  });

  it('reads what is left when the end of the file with its directory is lost', async () => {
    const whole = fixture('xlwt-looks.xls');
    const { at: expected } = await readWhole(await openXls(whole, 'x.xls'));
    const directory = new DataView(whole.buffer, whole.byteOffset).getUint32(48, true);
    const book = await openXls(whole.slice(0, (directory + 1) * 512), 'x.xls');
    const { at, tail } = await readWhole(book);
    expect(at).toEqual(expected);
    expect(tail.complete).toBe(false);
    expect(book.notes).toEqual(['The file is damaged or cut off; this is what is left of it.']);
  });

  it('never fails but with a sentence, however the file is damaged', async () => {
    for (const name of ['xlwt-looks.xls', 'libreoffice-ledger.xls']) {
      for (const bytes of damaged(fixture(name), 150)) {
        try {
          const book = await openXls(bytes, 'x.xls');
          for (const index of book.sheets.keys()) await readWhole(book, index);
        } catch (error) {
          expect(error).toBeInstanceOf(StrideError);
        }
      }
    }
  });
});
