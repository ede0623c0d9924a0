/**
 * parse_pdf: a PDF's text page by page in reading order, or its pages to look at. Everything heavy
 * (pdf.js) is loaded when it first runs; the parts are in tools/pdf/.
 */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { WRAPPER_BYTES } from './untrusted.ts';
import { findOrThrow } from './workspace.ts';

/** Room for notes and the wrapper, so that a full part fits the preview and is not stored again. */
const OVERHEAD_BYTES = 1_200 + WRAPPER_BYTES;
const MIN_ROOM_BYTES = 512;

const page = z.union([z.string(), z.int()]);

export const parsePdf = defineTool({
  name: 'parse_pdf',
  description:
    'Reads a PDF of this task: text page by page (columns in reading order, tables aligned), outline, metadata, ' +
    'links, form fields, comments. It says which pages are scanned or drawn; as="image" shows such pages, and any ' +
    'page whose charts or layout matter, at most 4 a call. For numbers over many pages use execute_python.',
  aliases: ['read_pdf', 'pdf_reader', 'open_pdf'],
  fieldAliases: {
    file_path: 'path',
    file: 'path',
    filename: 'path',
    filepath: 'path',
    page: 'pages',
    page_range: 'pages',
    mode: 'as',
    format: 'as',
  },
  untrusted: true,
  timeoutMs: 60_000,
  input: z.object({
    path: z.string().describe('Path as list_files shows it'),
    pages: z
      .union([page, z.array(page)])
      .optional()
      .describe('"3", "2-5", "1,4,7-9", "last"; all when left out'),
    as: z
      .enum(['text', 'image'])
      .optional()
      .describe('"text" (default), or "image" to look at the pages'),
  }),
  async run(input, context) {
    const { workspace, signal } = context;
    const file = findOrThrow(workspace, input.path);
    const { checkBytes, checkSize, mendPdf } = await import('./pdf/source.ts');
    checkSize(file);
    const stored = await workspace.read(file.path);
    await checkBytes(stored, { path: file.path, signal });
    const { bytes, damage } = mendPdf(stored);
    const request = { file, bytes, pages: input.pages, context };
    if (input.as === 'image') {
      const { showPdfPages } = await import('./pdf/show.ts');
      return showPdfPages({ ...request, sound: damage === null });
    }
    const { readPdfText } = await import('./pdf/read.ts');
    const room = Math.max(MIN_ROOM_BYTES, context.previewBytes - OVERHEAD_BYTES);
    return readPdfText({ ...request, damage, room });
  },
});
