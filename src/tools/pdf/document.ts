/**
 * One opened PDF. unpdf's build of pdf.js is loaded at the first use (1.6 MB that most runs never
 * need) and runs on the caller's thread; whatever a Worker has no way to give (fonts, CMap files,
 * WebAssembly decoders) is switched off or made here. Failures become sentences.
 */
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs';
import { StrideError } from '../../errors.ts';
import { detectFileType } from '../file-type.ts';
import { cjkCMap } from './cjk-cmaps.ts';

export interface OpenPdf {
  document: PDFDocumentProxy;
  /** Numbers of pdf.js' operators by name. */
  operators: Readonly<Record<string, number>>;
  /** Encodings that text asked for and nobody has; grows while pages are read. */
  missingEncodings: Set<string>;
  close(): Promise<void>;
}

export interface OpenOptions {
  path: string;
  /** Width × height above which pdf.js leaves an image out; 0 leaves out every image. */
  maxImagePixels: number;
  /** An image left out, or any damage, makes the page's operator list fail instead of shorter. */
  strict?: boolean;
}

/**
 * Opens `bytes`, which pdf.js takes over (the array is empty afterwards: give a copy to keep it).
 * Throws StrideError for a password, for what is not a PDF and for what cannot be recovered.
 */
export async function openPdf(bytes: Uint8Array, options: OpenOptions): Promise<OpenPdf> {
  const { getResolvedPDFJS } = await import('unpdf');
  const { getDocument, OPS } = await getResolvedPDFJS();
  const missingEncodings = new Set<string>();
  // The first bytes survive pdf.js, which detaches the array, so that the error can say what it was.
  const head = new Uint8Array(bytes.subarray(0, 65_536));
  const task = getDocument({
    // A plain view: pdf.js refuses Node's Buffer, which is one too.
    data: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    verbosity: 0,
    useSystemFonts: true,
    disableFontFace: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    useWorkerFetch: false,
    cMapPacked: false,
    maxImageSize: options.maxImagePixels,
    stopAtErrors: options.strict === true,
    BinaryDataFactory: binaryDataFactory(missingEncodings),
  });
  try {
    const document = await task.promise;
    if (document.numPages < 1) {
      throw new StrideError(
        'invalid_input',
        `${options.path} is a PDF without pages; try execute_python (pypdf) or answer without it.`,
      );
    }
    return { document, operators: OPS, missingEncodings, close: () => task.destroy() };
  } catch (error) {
    await task.destroy().catch(() => {});
    throw error instanceof StrideError ? error : openFault(error, { path: options.path, head });
  }
}

/** pdf.js asks it for files by name; only CMaps can be made, all others are read without. */
function binaryDataFactory(missing: Set<string>) {
  return class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      const cmap = kind === 'cMapUrl' ? cjkCMap(filename) : null;
      if (cmap !== null) return new TextEncoder().encode(cmap);
      if (kind === 'cMapUrl') missing.add(filename);
      throw new Error(`${filename} is not available`);
    }
  };
}

function openFault(error: unknown, file: { path: string; head: Uint8Array }): StrideError {
  const { path, head } = file;
  if (error instanceof Error && error.name === 'PasswordException') {
    return new StrideError(
      'invalid_input',
      `${path} is protected by a password, which no tool here can get round; answer without this file or ask for an unprotected copy.`,
    );
  }
  const { kind, label } = detectFileType(head);
  if (kind !== 'pdf') {
    return new StrideError('invalid_input', `${path} is not a PDF but ${label}; ${nextFor(kind)}.`);
  }
  return new StrideError(
    'invalid_input',
    `${path} is a damaged PDF and no page of it can be recovered; try execute_python (pypdf, PyMuPDF) or answer without it.`,
  );
}

function nextFor(kind: string): string {
  if (kind === 'html' || kind === 'text') return 'read_file shows its text';
  return 'list_files and execute_python help to see what it is for';
}

/** The page, or null when it is too damaged to be read. */
export async function loadPage(pdf: OpenPdf, page: number): Promise<PDFPageProxy | null> {
  try {
    return await pdf.document.getPage(page);
  } catch {
    return null;
  }
}

/**
 * Lets timers and aborts happen: pdf.js computes on this thread and waits for promises only.
 * Throws what the signal was aborted with.
 */
export async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}
