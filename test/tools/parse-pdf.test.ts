import { describe, expect, it } from 'vitest';
import { StrideError } from '../../src/errors.ts';
import { parsePdf } from '../../src/tools/parse-pdf.ts';
import { createToolContext, runForOutput, runTool } from '../helpers/tool-context.ts';
import { type Page, pagesPdf, texts } from './pdf/make-pdf.ts';

/** Lines of 90 letters that fit the page's width. */
const long = (lines: number) => Array.from({ length: lines }, () => 'x'.repeat(90));

const page = (...lines: string[]): Page => ({
  content: texts(
    ...lines.map((line, index): [number, number, string] => [60, 700 - index * 12, line]),
  ),
});

async function read(bytes: Uint8Array, input: Record<string, unknown> = {}): Promise<string> {
  const { context } = await createToolContext({ 'a.pdf': bytes });
  return runTool(parsePdf, { path: 'a.pdf', ...input }, context);
}

async function failure(bytes: Uint8Array | string, input = {}): Promise<string> {
  const { context } = await createToolContext({ 'a.pdf': bytes });
  const error = await runTool(parsePdf, { path: 'a.pdf', ...input }, context).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StrideError);
  return (error as StrideError).message;
}

describe('parsePdf', () => {
  it('is harmless to repeat, and its text comes from outside', () => {
    expect(parsePdf).toMatchObject({ name: 'parse_pdf', effect: 'pure', untrusted: true });
    expect(parsePdf.fieldAliases).toMatchObject({ file_path: 'path', filepath: 'path' });
  });

  it('shows the pages under a line about the file', async () => {
    const bytes = pagesPdf([page('One', 'more'), page('Two')], { catalog: '/Lang(en)' });
    expect(await read(bytes)).toBe(
      `a.pdf: 2 pages, ${bytes.length.toLocaleString('en')} bytes\n--- page 1 of 2 ---\nOne\nmore\n--- page 2 of 2 ---\nTwo`,
    );
  });

  it('shows only the pages asked for, whatever form they come in', async () => {
    const bytes = pagesPdf([page('One'), page('Two'), page('Three')]);
    for (const pages of ['2-last', '2,3', [2, '3']]) {
      const text = await read(bytes, { pages });
      expect(text).toContain('Three');
      expect(text).not.toContain('One');
    }
    const { context } = await createToolContext({ 'a.pdf': bytes });
    const output = await runForOutput(parsePdf, { path: 'a.pdf', pages: 2 }, context);
    expect(output.data).toEqual({ pages: 3, shown: [2], scanned: [] });
  });

  it('stops when the room is full and names the call for the rest', async () => {
    const bytes = pagesPdf(
      Array.from({ length: 9 }, (_, index) => page(`Page ${index + 1}`, ...long(7))),
    );
    const { context } = await createToolContext({ 'a.pdf': bytes }, { previewBytes: 3_400 });
    const output = await runForOutput(parsePdf, { path: 'a.pdf' }, context);
    const text = String(output.content);
    expect(text).toMatch(
      /Page 3\n[x\n]+\n\[pages 4-9 are not shown yet: parse_pdf path="a\.pdf" pages="4-9"\]$/,
    );
    expect(output.data).toMatchObject({ shown: [1, 2, 3] });
    expect(Buffer.byteLength(text)).toBeLessThan(3_400);
  });

  it('shows one page however long it is', async () => {
    const bytes = pagesPdf([page('A', ...long(50)), page('B')]);
    const { context } = await createToolContext({ 'a.pdf': bytes }, { previewBytes: 2_000 });
    const text = await runTool(parsePdf, { path: 'a.pdf' }, context);
    expect(text).toContain(long(50).join('\n'));
    expect(text).toMatch(/page 2 is not shown yet: parse_pdf path="a\.pdf" pages="2"\]$/);
  });

  it('stops when the time runs out', async () => {
    const bytes = pagesPdf([page('One'), page('Two'), page('Three')]);
    let clock = 0;
    const now = () => (clock += 5_000);
    const { context } = await createToolContext({ 'a.pdf': bytes }, { now, timeoutMs: 30_000 });
    const text = await runTool(parsePdf, { path: 'a.pdf' }, context);
    expect(text).toContain('One');
    expect(text).toMatch(/not shown yet: parse_pdf path="a\.pdf" pages="/);
  });

  it('stops when it is cancelled', async () => {
    const bytes = pagesPdf([page('One')]);
    const signal = AbortSignal.abort(new Error('cancelled'));
    const { context } = await createToolContext({ 'a.pdf': bytes });
    await expect(runTool(parsePdf, { path: 'a.pdf' }, { ...context, signal })).rejects.toThrow(
      'cancelled',
    );
  });

  it('gives links, form fields and comments after their page', async () => {
    const bytes = pagesPdf(
      [{ ...page('See our page here'), more: '/Annots[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R]' }],
      {
        catalog: '/AcroForm<</Fields[8 0 R 9 0 R]>>',
        others: [
          '<</Type/Annot/Subtype/Link/Rect[81 698 120 710]/A<</S/URI/URI(https://example.org/a)>>>>',
          '<</Type/Annot/Subtype/Text/Rect[300 700 320 720]/Contents(Check\nthis)/T(Ada)>>',
          '<</Type/Annot/Subtype/Widget/Rect[60 600 200 620]/FT/Tx/T(city)/V(Oslo)/TU(Where you live)>>',
          '<</Type/Annot/Subtype/Widget/Rect[60 560 80 580]/FT/Btn/T(member)/V/Yes/AS/Yes/AP<</N<</Yes 5 0 R/Off 5 0 R>>>>>>',
          '<</Type/Annot/Subtype/Link/Rect[60 600 80 610]/Dest[4 0 R/Fit]>>',
        ],
      },
    );
    expect((await read(bytes)).split('\n').slice(2)).toEqual([
      'See our page here',
      '[p1] link: our page → https://example.org/a',
      '[p1] field: city (Where you live) = Oslo',
      '[p1] field: member = on',
      '[p1] comment by Ada (Text): Check this',
    ]);
  });

  it('gives the outline only with the whole file', async () => {
    const bytes = pagesPdf([page('One'), page('Two')], {
      catalog: '/Outlines 8 0 R',
      others: ['<</First 9 0 R/Last 9 0 R/Count 1>>', '<</Title(Chapter)/Dest[6 0 R/Fit]>>'],
    });
    expect(await read(bytes)).toContain('outline:\n- Chapter (p. 2)\n--- page 1');
    expect(await read(bytes, { pages: '1' })).not.toContain('Chapter');
  });

  it('says that a page is blank, drawn or scanned, and how to see it', async () => {
    const scan = {
      dictionary:
        '/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray',
      data: Uint8Array.from([0, 99, 200, 255]),
    };
    const bytes = pagesPdf(
      [
        { content: '1 1 1 rg 0 0 612 792 re f' },
        { content: '0 0 m 300 300 l S' },
        { content: 'q 612 0 0 792 0 0 cm /I Do Q', resources: '/XObject<</I 10 0 R>>' },
      ],
      { others: [scan] },
    );
    const text = await read(bytes);
    expect(text).toContain(
      '--- page 1 of 3 ---\n[this page is blank, or nothing on it can be read]',
    );
    expect(text).toContain(
      '[this page has no text, only drawn lines and shapes (or letters that cannot be decoded); see it with parse_pdf path="a.pdf" pages="2" as="image"]',
    );
    expect(text).toContain(
      '[this page has no text, only images (it is scanned); see it with parse_pdf path="a.pdf" pages="3" as="image"]',
    );
  });

  it('says that text is garbled when its font names no letters', async () => {
    const toUnicode =
      'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <e020> endbfrange endcmap';
    const bytes = pagesPdf(
      [{ content: 'BT /F2 12 Tf 60 700 Td (Nobody can read this) Tj ET', resources: '/X 1' }],
      { others: [{ dictionary: '', data: toUnicode }] },
    );
    const broken = Buffer.from(bytes)
      .toString('latin1')
      .replace('/WinAnsiEncoding>>', '/WinAnsiEncoding/ToUnicode 6 0 R>>')
      .replace('/F2 12', '/F1 12');
    const text = await read(new Uint8Array(Buffer.from(broken, 'latin1')));
    expect(text).toMatch(/most of this text is garbled: .* pages="1" as="image"/);
  });

  it('says how many pages were recovered from a damaged file', async () => {
    const bytes = pagesPdf([page('One'), page('Two')]);
    const cut = bytes.slice(0, Buffer.from(bytes).indexOf('xref\n0'));
    expect(await read(cut)).toContain(
      '[the file is damaged (its end is missing); 2 pages were recovered, others may be lost]\n--- page 1 of 2 ---\nOne',
    );
  });

  it.each([
    ['', /^a\.pdf is empty \(0 bytes\);/],
    [
      '<!DOCTYPE html><html><body>404</body></html>',
      /^a\.pdf is not a PDF but an HTML page; read_file/,
    ],
    ['PK\u0003\u0004', /^a\.pdf is not a PDF but a ZIP archive/],
    ['%PDF-1.7\nnothing else', /^a\.pdf is a damaged PDF and no page of it can be recovered;/],
  ])('says in one sentence what is wrong with %j', async (bytes, message) => {
    expect(await failure(bytes)).toMatch(message);
  });

  it('says that a file needs a password', async () => {
    // The standard security handler with keys that no empty password opens.
    const bytes = pagesPdf([page('Secret')], {
      others: [`<</Filter/Standard/V 1/R 2/P -44/O<${'11'.repeat(32)}>/U<${'22'.repeat(32)}>>>`],
    });
    const text = Buffer.from(bytes)
      .toString('latin1')
      .replace('/Root 1 0 R', '/Root 1 0 R/Encrypt 6 0 R/ID[<00><00>]');
    expect(await failure(new Uint8Array(Buffer.from(text, 'latin1')))).toMatch(
      /^a\.pdf is protected by a password,/,
    );
  });

  it('says how many pages there are when one is beyond them', async () => {
    const bytes = pagesPdf([page('One')]);
    expect(await failure(bytes, { pages: 2 })).toMatch(
      /^a\.pdf has 1 page, so there is no page 2;/,
    );
  });

  it('names near files when there is none of that name', async () => {
    const { context } = await createToolContext({ 'report.pdf': pagesPdf([page('One')]) });
    await expect(runTool(parsePdf, { path: 'raport.pdf' }, context)).rejects.toThrow(/report\.pdf/);
  });

  it('refuses what was made to fill a memory', async () => {
    const { deflateSync } = await import('node:zlib');
    const content = new Uint8Array(deflateSync(new Uint8Array(80_000_000)));
    expect(await failure(pagesPdf([{ content, filter: '/Filter/FlateDecode' }]))).toMatch(
      /^a\.pdf cannot be read here: a part of it unpacks to more than 16 MB;/,
    );
  });
});
