/**
 * Workbook streams of BIFF5 and BIFF8 written record by record (MS-XLS 2.4), for what no library at
 * hand writes. Readers take a bare stream like one in its container.
 */

export type Rec = readonly [type: number, data: number[]];

export const u16 = (value: number) => [value & 0xff, (value >> 8) & 0xff];
export const u32 = (value: number) => [...u16(value), ...u16(value >>> 16)];
export const f64 = (value: number) => [...new Uint8Array(new Float64Array([value]).buffer)];
export const latin = (text: string) => [...text].map((character) => character.charCodeAt(0));
export const wide = (text: string) =>
  [...text].flatMap((character) => u16(character.charCodeAt(0)));

/** A cell record: its place and format, then what it holds. */
export function cellRec(
  type: number,
  place: [row: number, column: number, xf?: number],
  data: number[] = [],
): Rec {
  const [row, column, xf = 0] = place;
  return [type, [...u16(row), ...u16(column), ...u16(xf), ...data]];
}

export const num = (row: number, column: number, value: number, xf = 0): Rec =>
  cellRec(0x203, [row, column, xf], f64(value));

/** A formula without tokens that matter: its stored result, and flags (1: calculate on opening). */
export function formula(
  row: number,
  column: number,
  {
    result,
    flags = 0,
    tokens = [0x1e, 1, 0],
  }: {
    result: number[];
    flags?: number;
    tokens?: number[];
  },
): Rec {
  return cellRec(
    0x06,
    [row, column],
    [...result, ...u16(flags), ...u32(0), ...u16(tokens.length), ...tokens],
  );
}

/** Results that are no number: 0 a text in the next record, 1 a truth value, 2 an error, 3 an empty text. */
export const special = (kind: number, value = 0) => [kind, 0, value, 0, 0, 0, 0xff, 0xff];

export function font({ flags = 0, color = 0x7fff, weight = 400, underline = 0 }): Rec {
  const head = [
    ...u16(200),
    ...u16(flags),
    ...u16(color),
    ...u16(weight),
    ...u16(0),
    underline,
    0,
    0,
    0,
  ];
  return [0x31, [...head, 1, 0, ...latin('A')]];
}

export function xf8({ font: index = 0, format = 0, pattern = 0, fore = 0x40 }): Rec {
  const area = [...u32((pattern << 26) >>> 0), ...u16(fore | (0x41 << 7))];
  return [0xe0, [...u16(index), ...u16(format), ...u16(0), ...u32(0), ...u32(0), ...area]];
}

export interface SheetSpec {
  name: string;
  records: readonly Rec[];
  /** 1 hidden, 2 very hidden. */
  hidden?: number;
  /** 2 a chart, 6 a module. */
  kind?: number;
}

function bytesOf(records: readonly Rec[]): number[] {
  return records.flatMap(([type, data]) => [...u16(type), ...u16(data.length), ...data]);
}

/** A whole stream; `globals` stand before the sheets' names. */
export function biffStream(
  biff: 5 | 8,
  { globals = [], sheets }: { globals?: readonly Rec[]; sheets: readonly SheetSpec[] },
): Uint8Array {
  const bof = (kind: number): Rec => [
    0x809,
    [...u16(biff === 8 ? 0x600 : 0x500), ...u16(kind), ...u32(0), ...u32(0), ...u32(0)],
  ];
  const eof: Rec = [0x0a, []];
  const bodies = sheets.map(({ records }) => bytesOf([bof(0x10), ...records, eof]));
  const bounds = (starts: number[]): Rec[] =>
    sheets.map(({ name, hidden = 0, kind = 0 }, index) => {
      const text = biff === 8 ? [name.length, 1, ...wide(name)] : [name.length, ...latin(name)];
      return [0x85, [...u32(starts[index] ?? 0), hidden, kind, ...text]];
    });
  const head = (starts: number[]) => bytesOf([bof(5), ...globals, ...bounds(starts), eof]);
  let at = head([]).length;
  const starts = bodies.map((body) => {
    const start = at;
    at += body.length;
    return start;
  });
  return Uint8Array.from([...head(starts), ...bodies.flat()]);
}
