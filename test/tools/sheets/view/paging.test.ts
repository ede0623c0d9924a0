import { describe, expect, it } from 'vitest';
import { utf8Length } from '../../../../src/tools/truncate.ts';
import { block, type CellSpec, makeBook, range, type TestBook, view } from './book.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const TEXTS = [
  'a',
  'two words',
  '007',
  ' x',
  'line\nbreak',
  '"q"',
  '数量',
  'w'.repeat(250),
  'TRUE',
  '🙂',
];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomCells(next: () => number): Record<string, CellSpec> {
  const height = 1 + Math.floor(next() * 300);
  const width = 1 + Math.floor(next() * 26);
  const density = next() ** 2;
  const cells: Record<string, CellSpec> = {};
  for (let row = 1; row <= height; row++) {
    for (const letter of LETTERS.slice(0, width)) {
      if (next() > density) continue;
      cells[letter + row] =
        next() < 0.6 ? Math.floor(next() * 1e6) / 100 : (TEXTS[Math.floor(next() * 10)] ?? '');
    }
  }
  if (Object.keys(cells).length === 0) cells.A1 = 1;
  return cells;
}

/** Reads a grid or list back into cells, as a program would from the documented format. */
function readBack(lines: string[]): Record<string, CellSpec> {
  const cells: Record<string, CellSpec> = {};
  const value = (field: string): CellSpec => {
    if (field.startsWith('"')) return JSON.parse(field) as string;
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(field) ? Number(field) : field;
  };
  let letters: string[] = [];
  for (const line of lines) {
    const fields = line.split('\t');
    const listed = /^([A-Z]+\d+) = (.*)$/.exec(line);
    if (listed) cells[listed[1] ?? ''] = value(listed[2] ?? '');
    else if (fields[0] === 'row') letters = fields.slice(1);
    else if (/^\d+$/.test(fields[0] ?? '')) {
      for (const [index, field] of fields.slice(1).entries()) {
        if (field !== '') cells[`${letters[index]}${fields[0]}`] = value(field);
      }
    }
  }
  return cells;
}

/** Follows the calls for what was left out until nothing is. */
async function readAll(book: TestBook, room: number): Promise<Record<string, CellSpec>> {
  const cells: Record<string, CellSpec> = {};
  const open: (string | undefined)[] = [undefined];
  for (let calls = 0; open.length > 0; calls++) {
    expect(calls).toBeLessThan(500);
    const text = await view(book, { room, sheet: 1, range: open.shift() });
    expect(utf8Length(text)).toBeLessThanOrEqual(room);
    Object.assign(cells, readBack(block(text, 'Sheet ')));
    open.push(...[...text.matchAll(/left out: .* range="([^"]+)"\]/g)].map((match) => match[1]));
  }
  return cells;
}

describe('paging', () => {
  it('shows every cell exactly when one follows the calls for what was left out', async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const cells = randomCells(random(seed));
      const book = makeBook({ sheets: [{ name: 'Täb"le', cells }] });
      expect(await readAll(book, 2_000 + (seed % 5) * 1_500)).toEqual(cells);
    }
  });

  it('loses no cell of a book of several sheets to half a row', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed * 7);
      const count = 1 + Math.floor(next() * 14);
      const sheets = Array.from({ length: count }, (_, at) => ({
        name: `S${at + 1}`,
        cells: randomCells(next),
      }));
      const book = makeBook({ sheets });
      const text = await view(book, { room: 3_000 + (seed % 7) * 4_000 });
      const rests = new Map<string, string[]>();
      for (const [, range = '', name = ''] of text.matchAll(
        /left out: (\S+) of "(S\d+)"; parse_excel/g,
      )) {
        rests.set(name, [...(rests.get(name) ?? []), range]);
      }
      const unshown = new Set(/no room for (.*?);/.exec(text)?.[1]?.match(/S\d+/g));
      for (const [at, { name, cells }] of sheets.entries()) {
        const lines = block(text, `Sheet "${name}",`);
        if (lines.length === 0) {
          if (!/no room for .* more/.test(text))
            expect([name, unshown.has(name)]).toEqual([name, true]);
          continue;
        }
        const seen = readBack(lines);
        for (const range of rests.get(name) ?? []) {
          const rest = await view(book, { sheet: at + 1, range, room: 4_000_000 });
          Object.assign(seen, readBack(block(rest, 'Sheet ')));
        }
        expect(seen).toEqual(cells);
      }
    }
  });

  it('looks into a hundred sheets of a book, and says how many more there are', async () => {
    const sheets = Array.from({ length: 130 }, (_, at) => ({
      name: `S${at + 1}`,
      cells: { A1: at },
    }));
    const book = makeBook({ sheets });
    const text = await view(book);
    expect(text).toContain(
      '[30 more sheets were not looked into; one of them: parse_excel path="a.xlsx" sheet="S101"]',
    );
    expect(book.handed()).toBe(100);
  });

  it('cuts a row that is wider than the answer between cells, and asks for the rest of it', async () => {
    const cells: Record<string, CellSpec> = {};
    for (const letter of LETTERS) {
      for (const row of [1, 2]) cells[letter + row] = `${letter}${row}: ${'word '.repeat(30)}.`;
    }
    const book = makeBook({ sheets: [{ cells }] });
    const text = await view(book, { room: 2_500 });
    expect(text).toMatch(/\nSheet "Sheet1", A1:I1:\nA1 = A1: word/);
    expect(text).toContain('range="J1:Z1"]');
    expect(text).toContain('range="A2:Z2"]');
    expect(await readAll(book, 2_500)).toEqual(cells);
  });

  it('cuts what is longer than the answer, and marks it', async () => {
    const long = 'A1+'.repeat(20_000);
    const cells = {
      A1: { formula: `${long}1`, uncomputed: true },
      B1: { kind: 'number', text: '1', formula: `${long}2`, style: { format: long } },
      C1: { text: long, runs: [{ text: long }] },
    } as const;
    const book = makeBook({
      names: [{ name: 'N', refersTo: long }],
      notes: [long],
      sheets: [
        {
          cells,
          tail: {
            comments: [{ row: 0, column: 0, author: null, text: long }],
            links: [{ range: range('A1'), target: long }],
            notes: [long],
          },
        },
      ],
    });
    for (const options of [{}, { range: 'A1' }, { range: 'B1' }, { range: 'C1' }]) {
      const text = await view(book, { with: 'all', room: 9_000, ...options });
      expect(utf8Length(text)).toBeLessThanOrEqual(9_000);
      expect(text.split('\n').filter((line) => line.length > 200 && !line.includes('…'))).toEqual(
        [],
      );
    }
    expect(await view(book, { with: 'formulas', range: 'B1' })).toMatch(
      /\nB1 =(A1\+){3000,}A?1?… \(60,001 characters, cut here\) → 1\n/,
    );
  });

  it('shows the longest formula that Excel allows whole when it alone is asked for', async () => {
    const formula = `1${'+A1'.repeat(2_730)}`;
    const cells = { B1: { kind: 'number', text: '1', formula } as const, B2: 1 };
    const text = await view(makeBook({ sheets: [{ cells }] }), { with: 'formulas', range: 'B1' });
    expect(text).toContain(`\nB1 =${formula} → 1`);
  });

  it('puts rows in order that a file stores out of order, and says when some may be missing', async () => {
    const stored = [3, 1, 5, 2];
    const book = makeBook({
      sheets: [
        {
          *stream() {
            for (const row of stored) {
              yield { row, column: 0, kind: 'number', text: String(row * 10) };
              yield { row, column: 1, kind: 'text', text: 'w'.repeat(200) };
            }
          },
        },
      ],
    });
    const lines = block(await view(book), 'Sheet ');
    expect(lines.map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      'Sheet "Sheet1", A2:B6:',
      'row A',
      '2 10',
      '3 20',
      '4 30',
      '6 50',
    ]);
    expect(await view(book, { room: 1_500 })).toContain('[the file stores its rows out of order');
    expect(await view(book)).not.toContain('out of order');
  });

  it('keeps within its room whatever is asked for', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const next = random(seed * 7);
      const sheets = Array.from({ length: 1 + Math.floor(next() * 5) }, (_, n) => {
        const cells = randomCells(next);
        for (const [address, spec] of Object.entries(cells)) {
          if (typeof spec !== 'number') continue;
          const style = { fill: `#${['FFFF00', '00B050', 'FF0000'][Math.floor(next() * 3)]}` };
          cells[address] = {
            kind: 'number',
            text: String(spec),
            formula: `${address}*${next()}`,
            style,
          };
        }
        return { name: `数据 ${n}`, cells };
      });
      const book = makeBook({ sheets });
      for (const room of [3_000, 6_000, 20_000]) {
        const text = await view(book, { room, with: 'all', path: `${'长'.repeat(60)}.xlsx` });
        expect(utf8Length(text)).toBeLessThanOrEqual(room);
      }
    }
  });
});
