/**
 * Run by hostile-files.test.ts in a process of its own: opens one file with parse_excel and prints
 * as JSON what it said, how long it took and how much the process grew (its peak, in bytes).
 */
import { readFileSync } from 'node:fs';
import { parseExcel } from '../../src/tools/parse-excel.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';

const path = process.argv[2] ?? '';
const small = await createToolContext({ 'small.csv': 'a,b\n1,2\n' });
// The readers are loaded and warm before anything is measured.
await runTool(parseExcel, { path: 'small.csv' }, small.context);
await import('../../src/tools/sheets/xlsx/open-xlsx.ts');
const { context } = await createToolContext({ 'book.xlsx': new Uint8Array(readFileSync(path)) });
const before = process.resourceUsage().maxRSS;
const start = performance.now();
let said: string;
try {
  said = await runTool(parseExcel, { path: 'book.xlsx' }, context);
} catch (error) {
  said = `${error instanceof Error ? error.name : 'thrown'}: ${error instanceof Error ? error.message : error}`;
}
const milliseconds = Math.round(performance.now() - start);
// maxRSS is in KB.
const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
process.stdout.write(JSON.stringify({ said, milliseconds, grownBytes }));
