/** Fonts that are not in the file, in the encodings of their countries. */
import { describe, expect, it } from 'vitest';
import { cjkCMap } from '../../../src/tools/pdf/cjk-cmaps.ts';
import { openPdf } from '../../../src/tools/pdf/document.ts';
import { makePdf } from './make-pdf.ts';

/** A page that shows `bytes` (hexadecimal) in a font of this encoding and collection. */
async function shown(encoding: string, ordering: string, bytes: string): Promise<string> {
  const bytesOfPdf = makePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    { dictionary: '', data: `BT /F1 12 Tf 72 700 Td <${bytes}> Tj ET` },
    `<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/${encoding}/DescendantFonts[6 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>>`,
    '<</Type/FontDescriptor/FontName/Song/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/StemV 80>>',
  ]);
  const pdf = await openPdf(bytesOfPdf, { path: 'a.pdf', maxImagePixels: 0 });
  try {
    const page = await pdf.document.getPage(1);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? item.str : '')).join('');
    return pdf.missingEncodings.size > 0 ? [...pdf.missingEncodings].join() : text;
  } finally {
    await pdf.close();
  }
}

describe('cjkCMap', () => {
  it.each([
    ['UniGB-UCS2-H', 'GB1', '4e2d6587', '中文'],
    ['UniGB-UTF16-H', 'GB1', '4e2d00410031', '中A1'],
    ['UniJIS-UCS2-H', 'Japan1', '65e5672c30ab', '日本カ'],
    ['UniKS-UCS2-H', 'Korea1', 'd55cad6d', '한국'],
    ['UniCNS-UCS2-H', 'CNS1', '7e41', '繁'],
    ['GBK-EUC-H', 'GB1', 'd6d0cec441', '中文A'],
    ['GB-EUC-H', 'GB1', 'd6d0', '中'],
    ['GBK-EUC-H', 'GB1', '87e5', '囧'],
    ['90ms-RKSJ-H', 'Japan1', '93fa967bb1', '日本ｱ'],
    ['EUC-H', 'Japan1', 'c6fccbdc', '日本'],
    ['H', 'Japan1', '467c', '日'],
    ['KSCms-UHC-H', 'Korea1', 'c7d1b1b9', '한국'],
    ['ETen-B5-H', 'CNS1', 'c163', '繁'],
    ['Identity-H', 'Japan1', '05a4', '亜'],
  ])('reads %s of %s', async (encoding, ordering, bytes, text) => {
    // CID 1125 is the first ideograph of Japan1; the others are codes of the encoding itself.
    const hex = encoding === 'Identity-H' ? '0465' : bytes;
    expect(await shown(encoding, ordering, hex)).toBe(text);
  });

  it('reads a Chinese encoding on a font of another collection', async () => {
    expect(await shown('UniGB-UCS2-H', 'CNS1', '7e419ad4')).toBe('繁體');
  });

  it('knows nothing of encodings that no decoder has', async () => {
    expect(cjkCMap('CNS-EUC-H')).toBeNull();
    expect(await shown('CNS-EUC-H', 'CNS1', 'a1a1')).toBe('CNS-EUC-H');
  });
});
