import { describe, expect, it } from 'vitest';
import { readFile } from '../../src/tools/read-file.ts';
import { utf8Length } from '../../src/tools/truncate.ts';
import { createToolContext, runTool } from '../helpers/tool-context.ts';

const utf16 = (text: string, littleEndian: boolean) => {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, littleEndian);
  for (let at = 0; at < text.length; at++) {
    view.setUint16(2 + at * 2, text.charCodeAt(at), littleEndian);
  }
  return bytes;
};

async function read(content: string | Uint8Array, input: object = {}, previewBytes?: number) {
  const { context } = await createToolContext(
    { 'a.txt': content },
    previewBytes === undefined ? {} : { previewBytes },
  );
  return runTool(readFile, { path: 'a.txt', ...input }, context);
}

describe('read_file: whole files', () => {
  it.each([
    ['one line', 'abc', 'abc'],
    ['final line end', 'a\nb\n', 'a\nb'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb'],
    ['old Mac line ends', 'a\rb\r', 'a\nb'],
    ['empty lines inside', 'a\n\n\nb', 'a\n\n\nb'],
    ['byte order mark', '\ufeffa,b\n1,2', 'a,b\n1,2'],
    ['CJK', '姓名,数量\n苹果,3', '姓名,数量\n苹果,3'],
    ['only line ends', '\n\n', '\n'],
  ])('reads %s without line numbers or notes', async (_, content, expected) => {
    expect(await read(content)).toBe(expected);
  });

  it('says that an empty file is empty', async () => {
    expect(await read('')).toBe('[the file is empty (0 bytes)]');
  });

  it.each([
    ['UTF-16 LE', utf16('姓名\r\nb\n', true), '姓名\nb\n[the file is UTF-16 (little-endian)]'],
    ['UTF-16 BE', utf16('a\nb', false), 'a\nb\n[the file is UTF-16 (big-endian)]'],
    [
      'GB18030',
      // 数量,苹果
      new Uint8Array([0xca, 0xfd, 0xc1, 0xbf, 0x2c, 0xc6, 0xbb, 0xb9, 0xfb]),
      '数量,苹果\n[the file is not UTF-8 and was read as GB18030 (Chinese)]',
    ],
    [
      'Windows-1252',
      new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x73, 0x20, 0x80]),
      'cafés €\n[the file is not UTF-8 and was read as Windows-1252 (Western European)]',
    ],
  ])('reads %s and says so', async (_, bytes, expected) => {
    expect(await read(bytes)).toBe(expected);
  });

  it('finds a file by another spelling and says which it read', async () => {
    const { context } = await createToolContext({ 'Sales.csv': 'x' });
    expect(await runTool(readFile, { path: '/mnt/data/sales.csv' }, context)).toBe(
      'x\n[this is Sales.csv]',
    );
  });
});

describe('read_file: ranges', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `l${index + 1}`).join('\n');

  it.each([
    [{ from_line: 3, to_line: 5 }, 'l3\nl4\nl5\n[lines 3–5 of 10]'],
    [{ from_line: 9 }, 'l9\nl10\n[lines 9–10 of 10]'],
    [{ to_line: 2 }, 'l1\nl2\n[lines 1–2 of 10]'],
    [{ from_line: 10, to_line: 99 }, 'l10\n[lines 10–10 of 10]'],
    [{ from_line: 1, to_line: 10 }, ten],
    [{ from_line: 11 }, '[a.txt has 10 lines; from_line=11 is beyond its end]'],
    [{ from_byte: 28 }, '10\n[bytes 28–30 of 30]'],
    [{ from_byte: 999 }, '[a.txt has 30 bytes; from_byte=999 is beyond its end]'],
  ])('%j', async (input, expected) => {
    expect(await read(ten, input)).toBe(expected);
  });

  it('refuses a range that ends before it starts', async () => {
    await expect(read(ten, { from_line: 5, to_line: 4 })).rejects.toThrow('swap them');
  });

  it('finds any range of a file of many batches', async () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `行 ${index + 1}: ${index * 7}`);
    const { context } = await createToolContext({ 'big.txt': lines.join('\r\n') });
    for (const at of [1, 99_999, 217_001, 300_000]) {
      const text = await runTool(
        readFile,
        { path: 'big.txt', from_line: at, to_line: at },
        context,
      );
      expect(text).toContain(`行 ${at}: ${(at - 1) * 7}\n`);
      expect(text).toContain('of 300,000]');
    }
  });

  it('gives the whole of a long file when the notes are followed', async () => {
    const content = Array.from(
      { length: 4_000 },
      (_, index) => `row ${index}, 值 ${index % 7}`,
    ).join('\n');
    const { context } = await createToolContext({ 'a.txt': content }, { previewBytes: 8_192 });
    const parts: string[] = [];
    let from: number | undefined = 1;
    while (from !== undefined) {
      const text: string = await runTool(readFile, { path: 'a.txt', from_line: from }, context);
      expect(utf8Length(text)).toBeLessThanOrEqual(8_192);
      parts.push(text.slice(0, text.lastIndexOf('\n[')));
      const next = /from_line=(\d+)\]$/.exec(text);
      from = next === null ? undefined : Number(next[1]);
    }
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.join('\n')).toBe(content);
  });

  it.each(['', '\ufeff', 'first\r\n'])(
    'gives the whole of one giant line after %j',
    async (before) => {
      const line = '长'.repeat(5_000) + '📊x'.repeat(3_000);
      const { context } = await createToolContext(
        { 'a.txt': before + line },
        { previewBytes: 8_192 },
      );
      const start = before === 'first\r\n' ? 2 : 1;
      let text = await runTool(readFile, { path: 'a.txt', from_line: start }, context);
      let got = text.slice(0, text.lastIndexOf('\n['));
      for (
        let next = /from_byte=(\d+)\]$/.exec(text);
        next !== null;
        next = /from_byte=(\d+)\]$/.exec(text)
      ) {
        text = await runTool(readFile, { path: 'a.txt', from_byte: Number(next[1]) }, context);
        expect(text).not.toContain('\ufffd');
        got += text.slice(0, text.lastIndexOf('\n['));
      }
      expect(got).toBe(line);
    },
  );
});

describe('read_file: what it cannot read', () => {
  it.each([
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), 'a PNG image', 'execute_python'],
    ['xlsx', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), 'a ZIP archive (xlsx', 'execute_python'],
    ['xls', new Uint8Array([9, 8, 8, 0, 0, 5, 5, 0]), 'an old Excel workbook', 'parse_excel'],
    ['PDF', '%PDF-1.7\n...', 'a PDF', 'parse_pdf'],
    ['NUL bytes', new Uint8Array([97, 0, 98]), 'binary data', 'execute_python'],
    ['control bytes', new Uint8Array(100).fill(1), 'binary data', 'execute_python'],
  ])('names the kind and the tool to use: %s', async (_, content, what, tool) => {
    await expect(read(content)).rejects.toThrow(what);
    await expect(read(content)).rejects.toThrow(`not text; ${tool}`);
  });

  it('lists near names for a missing file', async () => {
    const { context } = await createToolContext({ 'sales.csv': 'x', 'notes.md': 'y' });
    await expect(runTool(readFile, { path: 'sale.csv' }, context)).rejects.toThrow(
      'There is no file "sale.csv"; the nearest are sales.csv, notes.md.',
    );
  });

  it('keeps a file readable whose later bytes are not UTF-8', async () => {
    const bytes = new Uint8Array(200_000).fill(97);
    bytes[150_000] = 0xff;
    bytes[199_999] = 10;
    const { context } = await createToolContext({ 'a.txt': bytes }, { previewBytes: 300_000 });
    const text = await runTool(readFile, { path: 'a.txt' }, context);
    expect(text.length).toBe(199_999);
    expect(text.indexOf('\ufffd')).toBe(150_000);
  });
});
