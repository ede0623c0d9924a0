import { describe, expect, it } from 'vitest';
import { repairPdf } from '../../../src/tools/pdf/repair.ts';
import { mendPdf } from '../../../src/tools/pdf/source.ts';
import { makePdf, pagesPdf, texts } from './make-pdf.ts';

const whole = pagesPdf([
  { content: texts([60, 700, 'One']) },
  { content: texts([60, 700, 'Two']) },
]);
const before = (word: string) => whole.slice(0, Buffer.from(whole).lastIndexOf(word));

describe('mendPdf', () => {
  it('leaves a whole file as it is', () => {
    expect(mendPdf(whole)).toEqual({ bytes: whole, damage: null });
  });

  it('finds a whole file behind bytes that do not belong to it', () => {
    const shifted = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), whole]);
    expect(mendPdf(shifted).damage).toBeNull();
  });

  it('says what is wrong with the table of objects, which pdf.js mends itself', () => {
    const text = Buffer.from(whole).toString('latin1');
    const noTable = Buffer.from(text.replace(/startxref\n\d+/, 'startxref\n99999'), 'latin1');
    expect(mendPdf(noTable)).toEqual({ bytes: noTable, damage: 'its table of objects is missing' });
    const moved = Buffer.from(
      text.replace(/\n0000000\d+ 00000 n/, '\n0000000003 00000 n'),
      'latin1',
    );
    expect(mendPdf(moved).damage).toBe('its table of objects is wrong');
  });

  it('writes a new end where the trailer is lost', () => {
    const { bytes, damage } = mendPdf(before('trailer'));
    expect(damage).toBe('its end is missing');
    expect(Buffer.from(bytes).toString('latin1')).toMatch(/trailer\n<<\/Size 10\/Root 1 0 R>>/);
  });
});

describe('repairPdf', () => {
  it('makes a page tree when the catalog is lost', () => {
    const text = Buffer.from(whole).toString('latin1').replace('/Catalog', '/Nothing');
    const mended = repairPdf(Buffer.from(text, 'latin1'));
    const end = Buffer.from(mended ?? []).toString('latin1');
    expect(end).toContain('<</Type/Pages/Count 2/Kids[4 0 R 6 0 R]>>');
  });

  it('leaves alone what has no page, and what is encrypted', () => {
    expect(repairPdf(makePdf(['<</Nothing/Here>>']))).toBeNull();
    expect(repairPdf(pagesPdf([{ content: '' }], { catalog: '/Encrypt 9 0 R' }))).toBeNull();
  });
});
