/** Reading order and tables, on pages written by hand. */
import { describe, expect, it } from 'vitest';
import { loadPage, openPdf } from '../../../src/tools/pdf/document.ts';
import { readPageText } from '../../../src/tools/pdf/page-text.ts';
import { pagesPdf, texts } from './make-pdf.ts';

async function linesOf(content: string, more = ''): Promise<string[]> {
  const pdf = await openPdf(pagesPdf([{ content, more }]), { path: 'a.pdf', maxImagePixels: 0 });
  try {
    const page = await loadPage(pdf, 1);
    if (page === null) throw new Error('no page');
    const limits = { signal: new AbortController().signal, now: () => 0 };
    return (await readPageText(page, limits)).lines;
  } finally {
    await pdf.close();
  }
}

const LEFT = 'left column text fills its width ok'.split(' ');
const column = (x: number, top: number, name: string, count: number) =>
  Array.from({ length: count }, (_, index): [number, number, string] => [
    x,
    top - index * 12,
    `${name}${index} ${LEFT.join(' ')} here`,
  ]);

describe('readPageText', () => {
  it('reads two columns one after the other, the heading first and the foot last', async () => {
    const lines = await linesOf(
      texts(
        [60, 740, 'A heading across both columns of this page, in large letters', 18],
        ...column(320, 700, 'R', 9),
        ...column(60, 700, 'L', 9),
        [300, 40, '7'],
      ),
    );
    const names = lines.filter((line) => line !== '').map((line) => line.split(' ')[0]);
    const nine = Array.from({ length: 9 }, (_, index) => index);
    const order = ['A', ...nine.map((n) => `L${n}`), ...nine.map((n) => `R${n}`), '7'];
    expect(names).toEqual(order);
  });

  it('reads three columns from left to right', async () => {
    const narrow = (x: number, name: string) =>
      Array.from({ length: 8 }, (_, index): [number, number, string] => [
        x,
        700 - index * 12,
        `${name}${index} some words to fill it`,
      ]);
    const lines = await linesOf(
      texts(...narrow(60, 'A'), ...narrow(220, 'B'), ...narrow(380, 'C')),
    );
    const names = lines.filter((line) => line !== '').map((line) => line[0]);
    expect(names.join('')).toBe('AAAAAAAABBBBBBBBCCCCCCCC');
  });

  it('tells columns apart whose lines are not level with each other', async () => {
    const left = Array.from({ length: 6 }, (_, index): [number, number, string] => [
      60,
      700 - index * 12,
      `L${index} ${'word '.repeat(index % 3)}`,
    ]);
    const right = Array.from({ length: 6 }, (_, index): [number, number, string] => [
      320,
      694 - index * 12,
      `R${index} ${'word '.repeat((index + 1) % 3)}`,
    ]);
    const lines = await linesOf(texts(...left, ...right));
    const names = lines.filter((line) => line !== '').map((line) => line.slice(0, 2));
    expect(names.join(' ')).toBe('L0 L1 L2 L3 L4 L5 R0 R1 R2 R3 R4 R5');
  });

  it('keeps the rows of a table together, empty cells empty and numbers to the right', async () => {
    const rows: [string, string, string][] = [
      ['Name', 'Units', 'Price'],
      ['Tea', '12', '4.50'],
      ['Dark chocolate', '', '2.00'],
      ['Milk', '1,000', ''],
      ['Sum', '1,012', '6.50'],
    ];
    const cells = rows.flatMap(([name, units, price], index) => {
      const y = 700 - index * 14;
      const right = (x: number, text: string): [number, number, string] => [
        x - text.length * 5,
        y,
        text,
      ];
      const row: [number, number, string][] = [[60, y, name], right(260, units), right(340, price)];
      return row.filter(([, , text]) => text !== '');
    });
    expect(await linesOf(texts(...cells))).toEqual([
      'Name            Units  Price',
      'Tea                12   4.50',
      'Dark chocolate          2.00',
      'Milk            1,000',
      'Sum             1,012   6.50',
    ]);
  });

  it('puts words together that stand apart by less than a blank', async () => {
    const content = 'BT /F1 10 Tf 60 700 Td [(Ta) 20 (ble) -300 (of) -250 (contents)] TJ ET';
    expect(await linesOf(content)).toEqual(['Table of contents']);
  });

  it('marks raised digits and leaves raised words and lowered digits as they are', async () => {
    const content = texts(
      [60, 700, 'E = mc'],
      [92.5, 704, '2', 6],
      [98.6, 700, 'holds'],
      [60, 670, '10'],
      [71.2, 674, '-3', 6],
      [60, 640, '1'],
      [65.6, 644, 'st', 6],
      [60, 610, 'H'],
      [67.3, 607, '2', 6],
      [70.7, 610, 'O'],
    );
    const lines = (await linesOf(content)).filter((line) => line !== '');
    expect(lines).toEqual(['E = mc² holds', '10⁻³', '1st', 'H2O']);
  });

  it('says a word once that is printed twice for boldness', async () => {
    expect(await linesOf(texts([60, 700, 'Bold'], [60.3, 700, 'Bold'], [60, 680, 'Bold']))).toEqual(
      ['Bold', 'Bold'],
    );
  });

  it('keeps turned text apart and says how it is turned', async () => {
    const turned = 'BT /F1 10 Tf 0 1 -1 0 300 300 Tm (Climbing) Tj ET';
    const head = 'BT /F1 10 Tf -1 0 0 -1 300 100 Tm (On its head) Tj ET';
    expect(await linesOf(`${turned}\n${head}\n${texts([60, 700, 'Level'])}`)).toEqual([
      'Level',
      '',
      '[upside-down text]',
      'On its head',
      '',
      '[text turned 90° counterclockwise, reading upwards]',
      'Climbing',
    ]);
  });

  it('reads a turned page as it is shown', async () => {
    const content = 'BT /F1 10 Tf 0 1 -1 0 300 300 Tm (Line one) Tj 0 -14 Td (Line two) Tj ET';
    expect(await linesOf(content, '/Rotate 90')).toEqual(['Line one', 'Line two']);
  });
});
