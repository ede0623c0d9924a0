import { describe, expect, it } from 'vitest';
import { parseToolInput } from '../../src/loop/tool-input.ts';
import { parseExcel } from '../../src/tools/parse-excel.ts';
import { utf8Length } from '../../src/tools/truncate.ts';
import { WRAPPER_BYTES } from '../../src/tools/untrusted.ts';
import { createToolContext, runForOutput, runTool } from '../helpers/tool-context.ts';

const CSV = 'Item,Qty\nApples,3\nPears,4.5\n';

describe('parse_excel', () => {
  it('reads a file of the workspace', async () => {
    const { context } = await createToolContext({ 'sales.csv': CSV });
    const text = await runTool(parseExcel, { path: 'sales.csv' }, context);
    expect(text.split('\n')).toEqual([
      'sales.csv: csv, 1 sheet',
      '1. "sales": A1:B3, 6 cells',
      '',
      'Sheet "sales", A1:B3:',
      'row\tA\tB',
      '1\tItem\tQty',
      '2\tApples\t3',
      '3\tPears\t4.5',
    ]);
  });

  it('gives pages the format and the sheets', async () => {
    const { context } = await createToolContext({ 'sales.csv': CSV });
    const { data } = await runForOutput(parseExcel, { path: 'sales.csv' }, context);
    expect(data).toMatchObject({
      format: 'csv',
      sheets: [{ name: 'sales', range: 'A1:B3', cells: 6, shown: 'A1:B3' }],
      large: null,
    });
  });

  it('finds a file by another spelling and names the real one', async () => {
    const { context } = await createToolContext({ 'Sales.csv': CSV });
    const text = await runTool(parseExcel, { path: '/mnt/data/sales.csv', range: 'b3' }, context);
    expect(text).toMatch(/^Sales\.csv: csv/);
    expect(text).toContain('\nB3 = 4.5');
  });

  it('says which files there are when there is no such file', async () => {
    const { context } = await createToolContext({ 'sales.csv': CSV });
    await expect(runTool(parseExcel, { path: 'sale.xls' }, context)).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no file "sale.xls"; the nearest are sales.csv.',
    });
  });

  it('refuses a file that is larger than an upload without reading it', async () => {
    const { context } = await createToolContext({ 'a.csv': CSV });
    const workspace = {
      ...context.workspace,
      find: () => ({ path: 'a.csv', object: 'o', bytes: 30_000_000, media_type: 'text/csv' }),
      read: async () => {
        throw new Error('read');
      },
    };
    await expect(
      runTool(parseExcel, { path: 'a.csv' }, { ...context, workspace }),
    ).rejects.toMatchObject({
      code: 'too_large',
      message: 'a.csv has 30,000,000 bytes, more than this tool opens; use execute_python.',
    });
  });

  it('keeps within its preview, the wrapper included, and pages itself', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => `name ${n},${n}`).join('\n');
    const { context } = await createToolContext({ 'a.csv': rows }, { previewBytes: 8_192 });
    const text = await runTool(parseExcel, { path: 'a.csv' }, context);
    expect(utf8Length(text)).toBeLessThanOrEqual(8_192 - WRAPPER_BYTES);
    expect(utf8Length(text)).toBeGreaterThan(7_000);
    const next = /range="(A\d+:B3000)"/.exec(text)?.[1];
    const rest = await runTool(parseExcel, { path: 'a.csv', sheet: 'a', range: next }, context);
    expect(rest).toContain(`\nSheet "a", ${next?.split(':')[0]}:B`);
  });

  it.each([
    [
      { file_path: 'a.xlsx', sheet_name: 'Data' },
      { path: 'a.xlsx', sheet: 'Data' },
    ],
    [
      { filename: 'a.xlsx', worksheet: 2 },
      { path: 'a.xlsx', sheet: 2 },
    ],
    [{ path: 'a.xlsx', sheet: null, range: null, with: null }, { path: 'a.xlsx' }],
    [
      { file: 'a.xlsx', cell_range: 'A1:B2', include: '["colors"]' },
      { path: 'a.xlsx', range: 'A1:B2', with: '["colors"]' },
    ],
    [
      { filepath: 'a.xlsx', with: ['colors'] },
      { path: 'a.xlsx', with: ['colors'] },
    ],
  ])('understands %j', (sent, meant) => {
    expect(parseToolInput(parseExcel, sent)).toEqual({ ok: true, value: meant, ignored: [] });
  });

  it('has text from outside, no effect, and at most a minute', () => {
    expect(parseExcel).toMatchObject({ untrusted: true, effect: 'pure', timeoutMs: 60_000 });
  });
});
