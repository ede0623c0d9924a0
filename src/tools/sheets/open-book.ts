/**
 * Opens whatever holds cells, by its content and never by its name, and says of anything else what it
 * is and which tool fits. The name decides one thing only: text of one column called .csv is a table.
 * Each reader is loaded when a file needs it.
 */
import { StrideError } from '../../errors.ts';
import { detectFileType, type FileType, toolFor } from '../file-type.ts';
import type { Book } from './book.ts';

const SNIFFED_BYTES = 4 * 1024;
const EXCEL_2003 = 'urn:schemas-microsoft-com:office:spreadsheet';
/** SheetJS holds XML and xlsb whole, and takes seventy times the bytes of XML. */
const MAX_WHOLE_BYTES = { xml: 1024 * 1024, xlsb: 12 * 1024 * 1024 };

/** Throws StrideError invalid_input with one sentence: what the file is, and what to do instead. */
export async function openBook(bytes: Uint8Array, name: string): Promise<Book> {
  const type = detectFileType(bytes);
  switch (type.kind) {
    case 'xlsx':
    case 'xlsm':
      return (await import('./xlsx/open-xlsx.ts')).openXlsx(bytes, name);
    case 'xlsb':
      return openXlsb(bytes, name);
    case 'ods':
      return (await import('./ods/open-ods.ts')).openOds(bytes, name);
    case 'xls':
    case 'cfb':
      return (await import('./xls/open-xls.ts')).openXls(bytes, name);
    case 'csv':
    case 'tsv':
      return (await import('./csv/open-csv.ts')).openCsv(bytes, name);
    case 'text':
    case 'pdb':
      if (!/\.(?:csv|tsv|tab)$/i.test(name)) throw otherFile(name, type);
      return (await import('./csv/open-csv.ts')).openCsv(bytes, name);
    case 'xml':
      return openXml(bytes, name, type);
    case 'html':
      throw htmlPage(bytes, name);
    case 'encrypted-office':
      throw refusal(
        `${name} is protected by a password; ask for a copy without one, or answer without it.`,
      );
    case 'empty':
      throw refusal(
        `${name} is empty (0 bytes): there is nothing to read; get the file again, or answer without it.`,
      );
    case 'zip':
      return openArchive(bytes, name, type);
    default:
      throw otherFile(name, type);
  }
}

/** An archive that is no known kind of document: one that is cut off may have been a spreadsheet. */
async function openArchive(bytes: Uint8Array, name: string, type: FileType): Promise<Book> {
  const { openZip } = await import('./zip.ts');
  const zip = openZip(bytes, name);
  if (zip.has('content.xml')) return (await import('./ods/open-ods.ts')).openOds(bytes, name);
  if (!zip.repaired) throw otherFile(name, type);
  throw refusal(
    `${name} is a ZIP archive that is cut off or damaged, and no spreadsheet is left in it; get the file again, or answer without it.`,
  );
}

async function openXlsb(bytes: Uint8Array, name: string): Promise<Book> {
  const { openZip } = await import('./zip.ts');
  // Looked at first for what it declares: SheetJS would unpack a bomb.
  const zip = openZip(bytes, name);
  const most = MAX_WHOLE_BYTES.xlsb;
  if (zip.total > most) throw tooLarge({ name, bytes: zip.total, most });
  const { guardXlsb } = await import('./xls/guard.ts');
  guardXlsb(zip, { name, maxBytes: most });
  const { openBySheetJs } = await import('./xls/open-xls.ts');
  return openBySheetJs(bytes, name, { format: 'xlsb', unpacked: zip.total });
}

/** XML of Excel 2003 and flat OpenDocument are spreadsheets; other XML is text. */
async function openXml(bytes: Uint8Array, name: string, type: FileType): Promise<Book> {
  const head = headOf(bytes);
  if (/\boffice:document\b/.test(head) && head.includes('opendocument.spreadsheet')) {
    return (await import('./ods/open-ods.ts')).openFods(bytes, name);
  }
  if (!/<(?:\w+:)?Workbook\b/.test(head) || !head.includes(EXCEL_2003)) {
    throw otherFile(name, type);
  }
  const most = MAX_WHOLE_BYTES.xml;
  if (bytes.length > most) throw tooLarge({ name, bytes: bytes.length, most });
  (await import('./xls/guard.ts')).guardXml(bytes, name);
  const { openBySheetJs } = await import('./xls/open-xls.ts');
  return openBySheetJs(bytes, name, { format: 'xml' });
}

function headOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, SNIFFED_BYTES));
}

function htmlPage(bytes: Uint8Array, name: string): StrideError {
  const hasTable = new TextDecoder().decode(bytes.subarray(0, 64 * 1024)).includes('<td');
  return refusal(
    hasTable
      ? `${name} is an HTML page with a table, not a spreadsheet: read it with read_file, or with pandas.read_html in execute_python.`
      : `${name} is an HTML page, not a spreadsheet (a failed download, most likely); look at it with read_file, or get the file again.`,
  );
}

function otherFile(name: string, type: FileType): StrideError {
  return refusal(`${name} is ${type.label}, not a spreadsheet; ${toolFor(type)}.`);
}

function tooLarge(file: { name: string; bytes: number; most: number }): StrideError {
  const mb = (count: number) => Math.ceil(count / 1024 / 1024);
  return refusal(
    `${file.name} has ${mb(file.bytes)} MB unpacked, more than the ${mb(file.most)} MB that are read of this format; open it with execute_python.`,
  );
}

function refusal(sentence: string): StrideError {
  return new StrideError('invalid_input', sentence);
}
