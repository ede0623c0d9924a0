/**
 * parse_excel: a spreadsheet as people really have them, for a model to read: all sheets, hidden
 * parts marked, exact values, and on request colours, formulas, comments, links and number formats.
 * Readers and view are loaded with the first call; sums over large tables belong in execute_python.
 * The text, which programs parse too: overview lines, then for each sheet `Sheet "NAME", RANGE:`, a
 * line `row`, A, B, … and the rows, tab-separated; sheets/view/grid.ts has it exactly.
 */
import { z } from 'zod';
import { StrideError } from '../errors.ts';
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import { defineTool } from './define.ts';
import { count } from './truncate.ts';
import { WRAPPER_BYTES } from './untrusted.ts';
import { findOrThrow } from './workspace.ts';

/** The text pages itself; beside it stand only the wrapper and perhaps a note of dispatch. */
const OVERHEAD_BYTES = 100 + WRAPPER_BYTES;
const TIMEOUT_MS = 60_000;

export const parseExcel = defineTool({
  name: 'parse_excel',
  description:
    'Reads a spreadsheet (xlsx, xlsm, xls, ods, csv, tsv): all sheets with what they hold, then cells with their ' +
    'addresses, exact values, ISO dates; hidden sheets, rows and columns are shown and marked. sheet and range show ' +
    'a part; with adds "colors" (which cells have which fill, text colour, bold, strike-through), "formulas", ' +
    '"comments", "links", "formats". To compute over many rows use execute_python.',
  aliases: [
    'read_excel',
    'parse_spreadsheet',
    'read_spreadsheet',
    'open_excel',
    'open_spreadsheet',
    'parse_xlsx',
    'read_xlsx',
    'parse_csv',
    'read_csv',
  ],
  fieldAliases: {
    file_path: 'path',
    file: 'path',
    filename: 'path',
    filepath: 'path',
    file_name: 'path',
    sheet_name: 'sheet',
    worksheet: 'sheet',
    tab: 'sheet',
    cells: 'range',
    cell_range: 'range',
    include: 'with',
    show: 'with',
  },
  untrusted: true,
  timeoutMs: TIMEOUT_MS,
  input: z.object({
    path: z.string().describe('Path as list_files shows it'),
    sheet: z
      .union([z.string(), z.int().min(1)])
      .optional()
      .describe('Name of a sheet, or its number from 1; all sheets when left out'),
    range: z
      .string()
      .optional()
      .describe('A1:D20, A:C, 5:40, B2, Sheet!A1:B2 or a defined name; everything when left out'),
    with: z
      .union([z.array(z.string()), z.string()])
      .optional()
      .describe('List of "colors", "formulas", "comments", "links", "formats"'),
  }),
  async run(input, context) {
    const { workspace, signal } = context;
    const file = findOrThrow(workspace, input.path);
    if (file.bytes > MAX_UPLOAD_BYTES) {
      throw new StrideError(
        'too_large',
        `${file.path} has ${count(file.bytes)} bytes, more than this tool opens; use execute_python.`,
      );
    }
    const bytes = await workspace.read(file.path);
    const [{ openBook }, { renderBook }] = await Promise.all([
      import('./sheets/open-book.ts'),
      import('./sheets/view/view.ts'),
    ]);
    const book = await openBook(bytes, file.path);
    const maxBytes = Math.max(512, context.previewBytes - OVERHEAD_BYTES);
    return await renderBook(book, { ...input, path: file.path, maxBytes, signal });
  },
});
