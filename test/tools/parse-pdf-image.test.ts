import { describe, expect, it } from 'vitest';
import type { ToolOutput } from '../../src/tools/define.ts';
import { parsePdf } from '../../src/tools/parse-pdf.ts';
import { createToolContext, runForOutput, runTool, textOf } from '../helpers/tool-context.ts';
import { image, type PdfObject, pagesPdf, texts } from './pdf/make-pdf.ts';

/** A page that is one image over the whole of it. */
const scanned = (number: number) => ({
  content: 'q 612 0 0 792 0 0 cm /I Do Q',
  resources: `/XObject<</I ${number} 0 R>>`,
});

const grey = (width: number, height: number) =>
  image(
    `/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace/DeviceGray`,
    Uint8Array.from({ length: width * height }, (_, index) => (index * 31) % 256),
  );

async function show(bytes: Uint8Array, input: Record<string, unknown> = {}, path = 'a.pdf') {
  const { context, workspace } = await createToolContext({ [path]: bytes });
  const output = await runForOutput(parsePdf, { path, as: 'image', ...input }, context);
  return { output, workspace, files: filesOf(output) };
}

function filesOf({ content }: ToolOutput) {
  return typeof content === 'string' ? [] : content.filter((block) => block.type === 'file');
}

describe('parsePdf as image', () => {
  it('makes a PNG of a scanned page and says what it costs', async () => {
    const bytes = pagesPdf([scanned(6)], { others: [grey(306, 396)] });
    const { output, files, workspace } = await show(bytes, {}, 'in/My scan.PDF');
    expect(textOf(output)).toContain(
      '[page 1 of 1 of in/My scan.PDF, as an image of 306 × 396 pixels (pdf_pages/My_scan-p1.png)]',
    );
    expect(files).toEqual([
      { type: 'file', as: 'image', path: 'pdf_pages/My_scan-p1.png', tokens: 162 },
    ]);
    const png = await workspace.read('pdf_pages/My_scan-p1.png');
    expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG');
    expect(output.data).toEqual({ pages: 1, shown: [1], scanned: [1] });
  });

  it('makes large scans smaller, the long edge within 1568 pixels', async () => {
    const bytes = pagesPdf([scanned(6)], { others: [grey(1_700, 2_200)] });
    const { output } = await show(bytes);
    expect(textOf(output)).toContain('as an image of 1212 × 1568 pixels');
  });

  it('puts strips and masks together to one picture', async () => {
    const strip = (level: number): PdfObject =>
      image(
        '/Width 4/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray',
        new Uint8Array(8).fill(level),
      );
    const mask = image(
      '/Width 4/Height 4/ImageMask true/BitsPerComponent 1',
      new Uint8Array(4).fill(0xf0),
    );
    const bytes = pagesPdf(
      [
        {
          content:
            'q 612 0 0 396 0 396 cm /A Do Q q 612 0 0 396 0 0 cm /B Do Q 1 0 0 rg q 306 0 0 792 306 0 cm /M Do Q',
          resources: '/XObject<</A 6 0 R/B 7 0 R/M 8 0 R>>',
        },
      ],
      { others: [strip(200), strip(100), mask] },
    );
    const { files } = await show(bytes);
    expect(files).toMatchObject([{ as: 'image' }]);
  });

  it('cuts a page with text or drawings out as a PDF of its own', async () => {
    const bytes = pagesPdf([
      { content: texts([60, 700, 'One']) },
      { content: `0 0 m 300 300 l S ${texts([60, 700, 'Chart'])}` },
    ]);
    const { files, workspace, output } = await show(bytes, { pages: 'last' });
    expect(textOf(output)).toMatch(/^\[page 2 of 2 of a\.pdf, shown as a PDF of its own/);
    expect(files).toEqual([
      { type: 'file', as: 'document', path: 'pdf_pages/a-p2.pdf', tokens: 3_000 },
    ]);
    const cut = await workspace.read('pdf_pages/a-p2.pdf');
    const { context } = await createToolContext({ 'b.pdf': cut });
    expect(await runTool(parsePdf, { path: 'b.pdf' }, context)).toMatch(/1 page,[\s\S]*\nChart$/);
  });

  it.each([
    ['/CCITTFaxDecode', 'CCITTFaxDecode'],
    ['/JPXDecode', 'JPXDecode'],
    ['/JBIG2Decode', 'JBIG2Decode'],
  ])('gives a scan in %s as a PDF, since it is not decoded here', async (filter, name) => {
    const scan = image('/Width 9/Height 9/BitsPerComponent 1', new Uint8Array(20), filter);
    const { output, files } = await show(pagesPdf([scanned(6)], { others: [scan] }));
    expect(textOf(output)).toContain(
      `since its image is in a format (${name}) that is not decoded`,
    );
    expect(files).toMatchObject([{ as: 'document' }]);
  });

  it('unpacks no image that would fill the memory, and sends none either', async () => {
    const large = image('/Width 8000/Height 8000/BitsPerComponent 8', new Uint8Array(9));
    const first = await show(pagesPdf([scanned(6)], { others: [large] }));
    expect(textOf(first.output)).toContain('since its image is too large to be unpacked here');
    for (const bomb of [
      image('/Width 90000/Height 90000/BitsPerComponent 8', new Uint8Array(9)),
      image('/Width 9/Height 9/BitsPerComponent 8', new Uint8Array(60_000_000)),
    ]) {
      const { output, files } = await show(pagesPdf([scanned(6)], { others: [bomb] }));
      expect(textOf(output)).toMatch(/cannot be shown: its image unpacks to more .*execute_python/);
      expect(files).toEqual([]);
    }
  });

  it('shows four pages a call and names the call for the others', async () => {
    const bytes = pagesPdf(Array.from({ length: 6 }, () => ({ content: texts([60, 700, 'x']) })));
    const { output, files } = await show(bytes);
    expect(files).toHaveLength(4);
    expect(textOf(output)).toContain('parse_pdf path="a.pdf" pages="5-6" as="image"]');
  });

  it('shows nothing for a blank page', async () => {
    const { output, files } = await show(pagesPdf([{ content: '' }]));
    expect(textOf(output)).toBe('[page 1 of 1 of a.pdf is blank, or nothing on it can be read]');
    expect(files).toEqual([]);
  });
});
