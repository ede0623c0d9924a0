/** Reads a sheet of a book whole, for tests. */

import { cellAddress } from '../../../src/tools/sheets/addresses.ts';
import type { Book, Cell, SheetTail } from '../../../src/tools/sheets/book.ts';

export interface ReadWhole {
  cells: Cell[];
  /** By address, without the place. */
  at: Record<string, Omit<Cell, 'row' | 'column'>>;
  tail: SheetTail;
}

export async function readWhole(book: Book, sheet = 0): Promise<ReadWhole> {
  const cells: Cell[] = [];
  const { signal } = new AbortController();
  const onCell = (cell: Cell) => cells.push(cell) > 0;
  const tail = await book.scan(sheet, onCell, { signal });
  const at = Object.fromEntries(
    cells.map(({ row, column, ...cell }) => [cellAddress(row, column), cell]),
  );
  return { cells, at, tail };
}

/** Numbers that look random and are the same in every run. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

/** Copies of `bytes` cut off or with bytes changed, the same in every run. */
export function* damaged(bytes: Uint8Array, count: number): Generator<Uint8Array> {
  const random = createRandom(7);
  for (let index = 0; index < count; index++) {
    if (index % 3 === 0) yield bytes.slice(0, random(bytes.length));
    else {
      const copy = bytes.slice();
      const changes = 1 + random(index % 3 === 1 ? 3 : 200);
      for (let change = 0; change < changes; change++) copy[random(copy.length)] = random(256);
      yield copy;
    }
  }
}
