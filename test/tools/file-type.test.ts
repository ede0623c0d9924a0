import { readFileSync } from 'node:fs';
import { CFB, utils, write } from '@e965/xlsx';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { detectFileType, isTextKind, toolFor } from '../../src/tools/file-type.ts';
import { nameConflict } from '../../src/tools/file-type-names.ts';
import { mediaTypeOf } from '../../src/tools/media-type.ts';

const bytesOf = (text: string) => strToU8(text, true);
const kindOf = (content: string | Uint8Array) =>
  detectFileType(typeof content === 'string' ? strToU8(content) : content).kind;
const random = (length: number) =>
  Uint8Array.from({ length }, (_, index) => (index * 2_654_435_761) >>> 13);

function zip(names: readonly string[], first?: Zippable) {
  const parts = Object.fromEntries(names.map((name) => [name, strToU8('<x/>')]));
  return zipSync({ ...first, ...parts });
}

/** A CFB file with these streams, as an independent library writes it. */
function cfb(streams: Record<string, Uint8Array>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, content);
  return new Uint8Array(CFB.write(file, { type: 'array' }) as ArrayBuffer);
}

function workbook(bookType: 'xlsx' | 'xlsb' | 'ods' | 'biff8' | 'biff2' | 'csv'): Uint8Array {
  const book = utils.book_new(utils.aoa_to_sheet([['a', 1]]), 'S');
  return new Uint8Array(write(book, { bookType, type: 'array' }) as ArrayBuffer);
}

describe('detectFileType: by signature', () => {
  it.each([
    ['%PDF-1.7\n', 'pdf'],
    ['junk from a server\r\n%PDF-1.4\r\n1 0 obj\r\n', 'pdf'],
    ['\xef\xbb\xbf%PDF-1.4\n1 0 obj\n', 'pdf'],
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['GIF89a', 'gif'],
    ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'webp'],
    ['RIFF\x01\x02\x03\x04WAVEfmt ', 'wav'],
    ['RIFF\x01\x02\x03\x04AVI LIST', 'binary'],
    ['BM\x01\x02\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', 'bmp'],
    ['II*\0\x08\0\0\0', 'tiff'],
    ['MM\0*\0\0\0\x08', 'tiff'],
    ['\0\0\0\x18ftypheic\0\0\0\0', 'heic'],
    ['\0\0\0\x18ftypmif1\0\0\0\0', 'heic'],
    ['\0\0\0\x18ftypavif\0\0\0\0', 'avif'],
    ['\0\0\0\x20ftypM4A \0\0\0\0', 'm4a'],
    ['\0\0\0\x20ftypisom\0\0\0\0', 'mp4'],
    ['\0\0\0\x14ftypqt  \0\0\0\0', 'mov'],
    ['\0\0\x12\x34moov\0\0\0\x6cmvhd', 'mov'],
    ['ID3\x03\0\0\0\0\0\0', 'mp3'],
    ['\xff\xfb\x90\x64\0\0', 'mp3'],
    ['OggS\0\x02', 'ogg'],
    ['fLaC\0\0\0\x22', 'flac'],
    ['\x1a\x45\xdf\xa3\x9f', 'webm'],
    ['\x1f\x8b\x08\0', 'gzip'],
    ['7z\xbc\xaf\x27\x1c\0\x04', '7z'],
    ['Rar!\x1a\x07\x01\0', 'rar'],
    [`${'a.txt'.padEnd(257, '\0')}ustar\x0000`, 'tar'],
    ['SQLite format 3\0', 'sqlite'],
    ['PAR1\x15\x04', 'parquet'],
    ['\x09\x08\x08\0\0\x05\x05\0', 'xls'],
    ['', 'empty'],
    ['a\0b', 'binary'],
    ['\xff\xfe\0\0', 'text'],
  ])('%j is %s', (start, kind) => {
    expect(kindOf(bytesOf(start))).toBe(kind);
  });

  it.each([
    'BM is a company in Armonk that makes computers',
    'ID3 tags describe music',
    'The header of every file is %PDF-1.7 and then\n1 0 obj\nfollows',
    'GIF 89a',
    'PK is an abbreviation',
  ])('leaves text alone that begins like a signature: %j', (text) => {
    expect(kindOf(text)).toBe('text');
  });

  it('calls bytes with control characters binary, UTF-16 with a mark text', () => {
    expect(kindOf(new Uint8Array(100).fill(1))).toBe('binary');
    expect(kindOf(new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0a, 0]))).toBe('text');
    expect(kindOf(new Uint8Array([0xfe, 0xff, 0, 0x3c, 0, 0x61, 0, 0x3e]))).toBe('xml');
  });
});

describe('detectFileType: archives', () => {
  it.each(['xlsx', 'xlsb', 'ods'] as const)(
    'tells a workbook of another writer apart: %s',
    (bookType) => {
      expect(kindOf(workbook(bookType))).toBe(bookType);
    },
  );

  it.each([
    [['[Content_Types].xml', 'xl/workbook.xml'], 'xlsx'],
    [['[Content_Types].xml', 'XL\\WorkBook.xml'], 'xlsx'],
    [['[Content_Types].xml', 'workbook.xml', 'sheet1.xml'], 'xlsx'],
    [['[Content_Types].xml', 'xl/workbook.xml', 'xl/vbaProject.bin'], 'xlsm'],
    [['[Content_Types].xml', 'xl/workbook.bin'], 'xlsb'],
    [['[Content_Types].xml', 'word/document.xml', 'word/embeddings/a.xlsx'], 'docx'],
    [['[Content_Types].xml', 'ppt/presentation.xml'], 'pptx'],
    [['content.xml', 'META-INF/manifest.xml'], 'ods'],
    [['data/xl/workbook.xml', 'report.docx'], 'zip'],
    [['workbook.xml'], 'zip'],
    [['a.csv'], 'zip'],
  ])('%j is %s', (names, kind) => {
    expect(kindOf(zip(names))).toBe(kind);
  });

  it.each([
    ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
    ['application/vnd.oasis.opendocument.spreadsheet-template', 'ods'],
    ['application/vnd.oasis.opendocument.text', 'odt'],
    ['application/vnd.oasis.opendocument.presentation', 'odp'],
    ['application/epub+zip', 'epub'],
  ])('reads the stated type %s', (type, kind) => {
    const whole = zip(['content.xml'], { mimetype: [strToU8(type), { level: 0 }] });
    expect(kindOf(whole)).toBe(kind);
    expect(kindOf(whole.subarray(0, 120))).toBe(kind);
  });

  it('knows a workbook by its first 64 KB and when its end is missing', () => {
    const media: [Uint8Array, { level: 0 }] = [random(200_000), { level: 0 }];
    const whole = zip(['[Content_Types].xml'], {
      'xl/workbook.xml': strToU8('<workbook/>'),
      'xl/media/image1.png': media,
    });
    expect(kindOf(whole.subarray(0, 65_536))).toBe('xlsx');
    expect(kindOf(whole.subarray(0, whole.length - 100))).toBe('xlsx');
  });

  it('finds the parts behind large ones by the directory at the end', () => {
    const whole = zip(['xl/workbook.xml'], { 'big.bin': [random(200_000), { level: 0 }] });
    expect(kindOf(whole.subarray(0, 65_536))).toBe('zip');
    expect(kindOf(whole)).toBe('xlsx');
  });

  it('finds entries whose sizes follow their data', () => {
    const whole = zip(['a.txt', 'word/document.xml']);
    // Flag bit 3 and no sizes, as streaming writers leave them; the central directory cut off.
    const view = new DataView(whole.buffer);
    view.setUint16(6, 8, true);
    view.setUint32(18, 0, true);
    const end = whole.findIndex((_, at) => view.getUint32(at, true) === 0x02014b50);
    expect(kindOf(whole.subarray(0, end))).toBe('docx');
  });

  it('says of an archive without readable names what it may be', () => {
    const { kind, label } = detectFileType(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]));
    expect([kind, label]).toEqual([
      'zip',
      'a ZIP archive (xlsx, docx and pptx files are such archives)',
    ]);
    expect(kindOf(zipSync({}))).toBe('zip');
  });
});

describe('detectFileType: old Office files', () => {
  const stream = random(5_000);

  it.each([
    [{ Workbook: stream }, 'xls'],
    [{ Book: stream }, 'xls'],
    [{ WordDocument: stream, 'ObjectPool/_1/Workbook': stream }, 'doc'],
    [{ Workbook: stream, 'MBD0001/WordDocument': stream }, 'xls'],
    [{ 'PowerPoint Document': stream }, 'ppt'],
    [{ '__properties_version1.0': stream }, 'msg'],
    [{ EncryptionInfo: stream, EncryptedPackage: stream }, 'encrypted-office'],
    [{ Something: stream }, 'cfb'],
  ])('tells %o apart by the streams in its root', (streams, kind) => {
    expect(kindOf(cfb(streams as Record<string, Uint8Array>))).toBe(kind);
  });

  it('knows xls files of another writer, with and without a container', () => {
    expect(kindOf(workbook('biff8'))).toBe('xls');
    expect(kindOf(workbook('biff2'))).toBe('xls');
  });

  it('leaves open what the first bytes do not tell', () => {
    const whole = cfb({ Workbook: random(200_000) });
    expect(kindOf(whole)).toBe('xls');
    expect(kindOf(whole.subarray(0, 600))).toBe('cfb');
    expect(kindOf(whole.subarray(0, 8))).toBe('cfb');
  });

  it('ends on directories that run in circles and on random headers', () => {
    const whole = cfb({ Workbook: stream });
    for (let seed = 1; seed <= 300; seed++) {
      const broken = whole.slice();
      for (let turn = 0; turn < 20; turn++) {
        const at = 8 + ((seed * 7_919 + turn * 104_729) % (broken.length - 8));
        broken[at] = (seed * turn * 31) % 256;
      }
      expect(detectFileType(broken).label).toMatch(/Office|Excel/);
    }
  });
});

describe('detectFileType: text', () => {
  it.each([
    ['<!DOCTYPE html><html><body>404</body></html>', 'html'],
    ['\ufeff\r\n  <!-- saved from -->\n<!-- x --><!doctype HTML public "x">', 'html'],
    ['<html lang="en">', 'html'],
    ['<script>location="/login"</script>', 'html'],
    ['<table><tr><td>1</td></tr></table>', 'html'],
    ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0">', 'html'],
    ['<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'svg'],
    ['<svg viewBox="0 0 1 1"></svg>', 'svg'],
    ['<?xml version="1.0"?><table><row/></table>', 'xml'],
    ['<note><to>x</to></note>', 'xml'],
    ['<!DOCTYPE lolz [<!ENTITY a "b">]><lolz/>', 'xml'],
    ['<3 this file', 'text'],
    ['<anna@example.org> wrote:', 'text'],
    ['<!-- never closed', 'text'],
    ['{"a": 1}', 'json'],
    [' \n[1, 2, 3]', 'json'],
    ['{"a": NaN}', 'json'],
    ['{"a": 1}\n{"a": 2}\n', 'jsonl'],
    ['[1] Smith et al., 2003', 'text'],
    ['[section]\nkey=value', 'text'],
    ['{curly}', 'text'],
    ['a,b\n1,2\n', 'csv'],
    ['a;b;c\n1,5;2,5;3\n', 'csv'],
    ['a\tb\n1,5\t2,5\n', 'tsv'],
    ['name,note\n"Smith, J.","two\nlines, ""quoted"", here"\nx,y\n', 'csv'],
    ['Report 2024\n\na,b,c\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n4,5,6', 'csv'],
    ['姓名,数量\n苹果,3\n', 'csv'],
    ['sep=;\na;b\n', 'csv'],
    ['one line, with a comma', 'text'],
    ['# Title\n\nSome words, and more.\nThe end.', 'text'],
    ['| a | b |\n|---|---|\n| 1 | 2 |\n', 'text'],
    ['let a = 1;\nlet b = 2;\n', 'text'],
    ['import os, sys\nprint(1, 2)\n', 'text'],
    ['HEADER    HYDROLASE   01-JAN-99   1ABC\nTITLE     A STRUCTURE\n', 'pdb'],
    ['ATOM      1  N   ASP A  30      31.904  -0.904  -0.904  1.00 81.91           N\n', 'pdb'],
    ['HEADER    of a letter\nDear Sir,', 'text'],
    ['  \n', 'text'],
  ])('%j is %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('judges a long file by its beginning', () => {
    const rows = 'a,b\n'.repeat(50_000);
    const json = `{"rows": [${'"x",'.repeat(50_000)}"y"]}`;
    const lines = '{"a": "x"}\n'.repeat(20_000);
    expect([rows, json, lines].map(kindOf)).toEqual(['csv', 'json', 'jsonl']);
    expect(kindOf(strToU8(json).subarray(0, 65_536))).toBe('json');
  });

  it.each([
    ['one giant line', 'a'.repeat(25_000_000)],
    ['open comments', '<!--'.repeat(1_000_000)],
    ['an open tag', `<a${' b'.repeat(1_000_000)}`],
    ['open brackets', '['.repeat(1_000_000)],
    ['quotes and delimiters', '",;|\t'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['tiny local headers', 'PK\x03\x04'.repeat(1_000_000)],
  ])('takes no longer for %s', (_, text) => {
    const bytes = strToU8(text);
    const started = performance.now();
    expect(detectFileType(bytes).kind).not.toBe('empty');
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('detectFileType: what it says', () => {
  it('gives words and a media type for each', () => {
    expect(detectFileType(workbook('xlsx'))).toEqual({
      kind: 'xlsx',
      mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      label: 'an Excel workbook (xlsx)',
    });
    expect(detectFileType(strToU8('hello'))).toEqual({
      kind: 'text',
      mediaType: 'text/plain',
      label: 'text',
    });
    expect(detectFileType(bytesOf('\x1f\x8b')).mediaType).toBe('application/gzip');
  });

  it('agrees with the readers about what is text', () => {
    expect(['csv', 'svg', 'html', 'empty', 'pdb'].map((kind) => isTextKind(kind as 'csv'))).toEqual(
      Array(5).fill(true),
    );
    expect(['xlsx', 'pdf', 'binary', 'cfb'].map((kind) => isTextKind(kind as 'pdf'))).toEqual(
      Array(4).fill(false),
    );
  });

  it('knows this source file as text', () => {
    expect(kindOf(new Uint8Array(readFileSync(new URL(import.meta.url))))).toBe('text');
  });
});

describe('toolFor', () => {
  it.each([
    [workbook('xlsx'), 'parse_excel'],
    [workbook('biff8'), 'parse_excel'],
    [strToU8('a,b\n1,2'), 'parse_excel'],
    [strToU8('a,b\n1,2'), 'execute_python'],
    [strToU8('%PDF-1.4'), 'parse_pdf'],
    [strToU8('{}'), 'read_file'],
    [bytesOf('\x89PNG'), 'execute_python'],
    [new Uint8Array(0), 'nothing to read'],
  ])('names what fits (%#)', (bytes, tool) => {
    expect(toolFor(detectFileType(bytes))).toContain(tool);
  });
});

describe('nameConflict', () => {
  const page = '<!DOCTYPE html><title>404</title>';
  it.each([
    ['a.xlsx', page, 'named .xlsx, but it is an HTML page: a failed download, most likely'],
    ['A.XLSX', page, 'named .xlsx, but it is an HTML page: a failed download, most likely'],
    ['a.csv', page, 'named .csv, but it is an HTML page: a failed download, most likely'],
    ['a.xlsx', workbook('biff8'), 'named .xlsx, but it is an old Excel workbook (xls)'],
    ['a.xls', workbook('xlsx'), 'named .xls, but it is an Excel workbook (xlsx)'],
    ['a.pdf', 'text', 'named .pdf, but it is text'],
    ['a.txt', '%PDF-1.4', 'named .txt, but it is a PDF'],
    ['a.png', bytesOf('\xff\xd8\xff'), 'named .png, but it is a JPEG image'],
    ['a.XLSX', workbook('xlsx'), null],
    ['a.jpg', bytesOf('\xff\xd8\xff'), null],
    ['a.xlsx', cfb({ EncryptedPackage: random(5_000) }), null],
    ['a.zip', workbook('xlsx'), null],
    ['a.csv', 'one column\n1\n2', null],
    ['a.json', '{"a": 1}\n{"a": 2}', null],
    ['page.html', page, null],
    ['page.txt', page, null],
    ['data', workbook('xlsx'), null],
    ['a.dat', page, null],
    ['a.xlsx', '', null],
  ])('%s with %#', (path, content, expected) => {
    const type = detectFileType(typeof content === 'string' ? strToU8(content) : content);
    expect(nameConflict(path, { type, hasTable: false })).toBe(expected);
  });

  it('offers another reason for a page with a table', () => {
    const type = detectFileType(strToU8(page));
    expect(nameConflict('a.xls', { type, hasTable: true })).toBe(
      'named .xls, but it is an HTML page: a table saved as a web page, or a failed download',
    );
  });
});

describe('mediaTypeOf', () => {
  it.each([
    ['a.xlsm', 'application/vnd.ms-excel.sheet.macroEnabled.12'],
    ['a.XLSB', 'application/vnd.ms-excel.sheet.binary.macroEnabled.12'],
    ['x/a.tsv', 'text/tab-separated-values'],
    ['a.pdb', 'chemical/x-pdb'],
    ['a.heic', 'image/heic'],
    ['a.m4a', 'audio/mp4'],
    ['a', 'application/octet-stream'],
  ])('%s is %s', (path, type) => {
    expect(mediaTypeOf(path)).toBe(type);
  });
});
