/** Small parts that the scans of several formats share. */
import type { SheetTail } from './book.ts';

/** Cells between two looks at the signal. */
const CELLS_PER_CHECK = 4096;

/** The tail of a whole sheet around which nothing stands. */
export function emptyTail(): SheetTail {
  return {
    complete: true,
    merges: [],
    hiddenRows: [],
    hiddenColumns: [],
    comments: [],
    links: [],
    filter: null,
    rules: [],
    drawings: [],
    notes: [],
  };
}

/** Called for each cell: throws what the signal was aborted with, looking every few thousand cells. */
export function createCheck(signal: AbortSignal): () => void {
  let left = 0;
  return () => {
    if (left-- > 0) return;
    left = CELLS_PER_CHECK;
    signal.throwIfAborted();
  };
}
