/**
 * A page's operator list, cut off where it grows beyond any page. pdf.js gives no way to stop it, and
 * forms that repeat forms unfold to billions of operators without ever yielding to a timer: so the
 * page object's own (internal) intake of chunks is counted. The version of unpdf is pinned.
 */
import type { PDFPageProxy } from 'unpdf/pdfjs';

export interface OperatorList {
  fnArray: number[];
  argsArray: (readonly unknown[] | null)[];
}

interface PageInternals {
  _renderPageChunk(chunk: { length: number }, state: { operatorList: OperatorList }): void;
  _abortOperatorList(request: { intentState: unknown; reason: Error; force: boolean }): void;
  getOperatorList(): Promise<OperatorList>;
}

/** The list, or its beginning when it has more than `max` operators. */
export function readOperators(page: PDFPageProxy, max: number): Promise<OperatorList> {
  const internals = page as unknown as PageInternals;
  const takeChunk = internals._renderPageChunk;
  return new Promise((resolve, reject) => {
    let length = 0;
    internals._renderPageChunk = (chunk, state) => {
      takeChunk.call(page, chunk, state);
      length += chunk.length;
      if (length <= max) return;
      resolve(state.operatorList);
      internals._abortOperatorList({
        intentState: state,
        reason: new Error('enough operators'),
        force: true,
      });
    };
    internals.getOperatorList().then(resolve, reject);
  });
}
