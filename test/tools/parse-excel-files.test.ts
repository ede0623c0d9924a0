import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseExcel } from '../../src/tools/parse-excel.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';

const DOCUMENTS = new URL('../fixtures/documents/', import.meta.url);

async function parse(file: string, input: object = {}): Promise<string> {
  const path = file.slice(file.lastIndexOf('/') + 1);
  const bytes = new Uint8Array(await readFile(new URL(file, DOCUMENTS)));
  const { context } = await createToolContext({ [path]: bytes });
  return runTool(parseExcel, { path, ...input }, context);
}

describe('parse_excel: files of other programs', () => {
  it('shows which cells are yellow and what stands in them', async () => {
    const text = await parse('xlsx/openpyxl-budget.xlsx', { with: ['colors'] });
    expect(text).toContain(
      '\nfill #FFFF00 (yellow), 3 cells: B2, B4:B5\n  values: B2 40; B4 5; B5 11\n',
    );
  });

  it.each(['xlsx', 'xls', 'ods'])('shows the same ledger from %s', async (format) => {
    const text = await parse(`${format}/libreoffice-ledger.${format}`, { range: 'Ledger!A1:I6' });
    const lines = text.split('\n');
    expect(lines.slice(lines.indexOf('Sheet "Ledger", A1:I6:') + 1, -2)).toEqual([
      'row\tA\tB\tC\tD\tE\tF\tG\tH\tI (hidden)',
      '1\tItem\tAmount\tShare\tDay\tTRUE\t2024-03-01T14:30:00\t\t\thidden column',
      '2\trent\t1200.5\t0.25\t2024-03-01\t#DIV/0!\t07:05:00',
      '3\ttea\t3\t0.5\t1999-12-31\t#N/A\t37:30:00',
      '4\t"007"\t-4.75\t1\t1900-03-01\tTRUE',
      '5\t\t1198.75\t42\tttea',
      '6\tall looks',
      'merged: G2:G4',
    ]);
  });

  it('shows the heads of a book that is large when unzipped, with code for the rest', async () => {
    const text = await parse('xlsx/hand-large.xlsx');
    expect(text).toContain('Only the first rows of each sheet are shown');
    expect(text).toContain('df = pd.read_excel("hand-large.xlsx", sheet_name="Sheet1")');
    expect(text).toContain('\n20\tname\tprice\ttea\t');
    expect(text).not.toContain('\n21\t');
  });

  it.each([
    'hostile/error-page.xlsx',
    'hostile/password.xlsx',
    'hostile/bomb-that-lies.xlsx',
    'hostile/laughs-sheet.xlsx',
    'hostile/zero-bytes.xlsx',
    'hostile/random.xls',
  ])('refuses %s in one sentence that names the file', async (file) => {
    await expect(parse(file)).rejects.toMatchObject({
      name: 'StrideError',
      message: expect.stringMatching(
        new RegExp(`^${file.slice(8).replace('.', '\\.')} (is|holds) [^\\n]{10,300}\\.?$`),
      ),
    });
  });
});
