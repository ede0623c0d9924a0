/**
 * Files that lie, are broken, or attack their reader. Each goes through both document tools: the
 * model gets one sentence or what is whole in the file, in time, and nothing else happens.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../src/errors.ts';
import type { Tool } from '../../src/tools/define.ts';
import { parseExcel } from '../../src/tools/parse-excel.ts';
import { parsePdf } from '../../src/tools/parse-pdf.ts';
import { createToolContext, runForOutput, textOf } from '../helpers/tool-context.ts';
import { manyCells, zipBomb } from './zip-bombs.ts';

/** What the script that made a hostile file says of it; patterns, case apart. */
interface Expectation {
  /** The tool that the file is for; the other one must refuse it. */
  tool: 'parse_excel' | 'parse_pdf';
  /** The tool must refuse the file in a sentence that this fits. */
  error?: string;
  /** The tool must show all of these, or (`orError`) refuse the file in a fitting sentence. */
  reads?: string[];
  orError?: string;
}

const FOLDER = new URL('../fixtures/documents/hostile/', import.meta.url);
const TOOLS: Record<Expectation['tool'], Tool> = { parse_excel: parseExcel, parse_pdf: parsePdf };
/** A person waits this long at most; generous, because other tests may run beside this one. */
const MAX_MS = 10_000;
const MAX_SENTENCE = 400;
const ASPECTS = ['colors', 'formulas', 'comments', 'links', 'formats'];
/** Of the issue: a gigabyte from a megabyte is refused within one second and 64 MB. */
const BOMB_MS = 1000;
const BOMB_BYTES = 64 * 1024 * 1024;
/** Times may be this much longer on a busy machine. */
const BUSY = 3;

interface Said {
  text: string;
  failed: boolean;
}

async function ask(
  tool: Tool,
  name: string,
  { bytes = bytesOf(name), ...options }: { bytes?: Uint8Array; [option: string]: unknown } = {},
): Promise<Said> {
  const { context } = await createToolContext({ [name]: bytes });
  const start = performance.now();
  let said: Said;
  try {
    const output = await runForOutput(tool, { path: name, ...options }, context);
    said = { text: textOf(output), failed: output.isError === true };
  } catch (error) {
    if (!(error instanceof StrideError)) throw error;
    said = { text: error.message, failed: true };
  }
  expect(performance.now() - start).toBeLessThan(MAX_MS);
  return said;
}

/** One plain sentence that names the file and says what to do next. */
function expectSentence({ text }: Said, name: string): void {
  expect(text.length).toBeLessThan(MAX_SENTENCE);
  expect(text).not.toMatch(/\n|\bundefined\b|\bnull\b|\[object|Error:|\.ts\b|node_modules/);
  expect(text.startsWith(name)).toBe(true);
  expect(text).toMatch(/[.)]$/);
  expect(text).toMatch(/execute_python|answer without|parse_|read_file|ask for|look at|password/i);
}

function check(said: Said, name: string, expected: Expectation): void {
  const { error, reads = [], orError } = expected;
  if (said.failed) {
    const pattern = error ?? orError;
    expect(pattern, `the tool refused ${name}: ${said.text}`).toBeTypeOf('string');
    expect(said.text).toMatch(new RegExp(pattern ?? '', 'i'));
    expectSentence(said, name);
    return;
  }
  expect(error, `the tool read ${name}: ${said.text.slice(0, 300)}`).toBe(undefined);
  for (const pattern of reads) expect(said.text).toMatch(new RegExp(pattern, 'i'));
}

const files = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.expected.json'))
  .sort();

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, FOLDER)));
}

function expectationOf(name: string): Expectation {
  return JSON.parse(readFileSync(new URL(`${name}.expected.json`, FOLDER), 'utf8'));
}

describe('a hostile file', () => {
  it.each(files)('%s: its tool says one sentence, or shows what is whole in it', async (name) => {
    const expected = expectationOf(name);
    check(await ask(TOOLS[expected.tool], name), name, expected);
  });

  it.each(files)('%s: the other tool refuses it in one sentence', async (name) => {
    const other = expectationOf(name).tool === 'parse_excel' ? parsePdf : parseExcel;
    const said = await ask(other, name);
    expect(said.failed, said.text.slice(0, 300)).toBe(true);
    expectSentence(said, name);
  });

  it.each(files)('%s: every option of its tool ends in time or in one sentence', async (name) => {
    const { tool } = expectationOf(name);
    const said =
      tool === 'parse_pdf'
        ? await ask(parsePdf, name, { pages: 1, as: 'image' })
        : await ask(parseExcel, name, { range: 'A1:XFD1048576', with: ASPECTS });
    if (said.failed) expectSentence(said, name);
    else expect(said.text).toContain(name);
  });

  it.each([parseExcel, parsePdf])('leaves $name able to read the next one', async (tool) => {
    const [bad, good, word] =
      tool === parseExcel
        ? ['laughs-sheet.xlsx', 'capitals.XLSX', '4.25']
        : ['page-tree-loop.pdf', 'paper.xlsx', 'Still readable'];
    await ask(tool, bad);
    expect((await ask(tool, good)).text).toContain(word);
  });
});

interface Measured {
  said: string;
  milliseconds: number;
  grownBytes: number;
}

const CHILD = fileURLToPath(new URL('hostile-files-child.ts', import.meta.url));

/** Opens a file with parse_excel in a process of its own. */
async function measure(bytes: Uint8Array): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'stride-bomb-'));
  try {
    const file = join(folder, 'book.xlsx');
    writeFileSync(file, bytes);
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, file], {
      timeout: 25_000,
    });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a zip bomb', () => {
  it('of one gigabyte from one megabyte is refused within a second and 64 MB', async () => {
    const bytes = zipBomb({ megabytes: 1024, lies: false });
    expect(bytes.length).toBeLessThan(1.2 * 1024 * 1024);
    const { said, milliseconds, grownBytes } = await measure(bytes);
    console.info(`zip bomb: ${milliseconds} ms, ${(grownBytes / 1024 / 1024).toFixed(1)} MB`);
    expect(said).toMatch(/^StrideError: book\.xlsx would unpack to 102\d MB/);
    expect(milliseconds).toBeLessThan(BOMB_MS * BUSY);
    expect(grownBytes).toBeLessThan(BOMB_BYTES);
  });

  it('whose headers lie is stopped where it grows beyond what they say', async () => {
    const { said, milliseconds, grownBytes } = await measure(
      zipBomb({ megabytes: 1024, lies: true }),
    );
    console.info(`lying bomb: ${milliseconds} ms, ${(grownBytes / 1024 / 1024).toFixed(1)} MB`);
    expect(said).toMatch(/book\.xlsx/);
    expect(said).toMatch(/declares|more than|damaged/);
    expect(milliseconds).toBeLessThan(BOMB_MS * BUSY);
    expect(grownBytes).toBeLessThan(BOMB_BYTES);
  });
});

describe('a large workbook', () => {
  it('of more than 200,000 cells is shown by its head, with the way to go on', async () => {
    const bytes = manyCells({ rows: 25_000, columns: 10 });
    const said = await ask(parseExcel, 'many.xlsx', { bytes });
    expect(said.failed).toBe(false);
    expect(said.text).toContain('execute_python');
    expect(said.text).toContain('200,000');
    expect(said.text.length).toBeLessThan(40_000);
  });

  it('of more than 20 MB unzipped is shown by its head, with the way to go on', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('../xlsx/hand-large.xlsx', FOLDER)));
    const said = await ask(parseExcel, 'hand-large.xlsx', { bytes });
    expect(said.failed).toBe(false);
    expect(said.text).toContain('execute_python');
    expect(said.text).toMatch(/20 MB/);
    expect(said.text).toContain('price');
  });
});
