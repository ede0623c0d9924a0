/**
 * Reads the entries of a zip one at a time, in pieces, without ever unpacking what nobody asked for.
 * Hostile files are refused by what they declare (a bomb is seen before a byte is unpacked), and an
 * entry that gives more than it declared is stopped. A file without its directory is still read.
 */
import { Inflate } from 'fflate';
import { StrideError } from '../../errors.ts';
import { centralEntries, localEntries, type ZipEntry } from './zip-directory.ts';

export interface Zip {
  /** Names of all files inside, forward slashes, in the order of the archive. */
  names: readonly string[];
  /** Bytes of all entries unpacked, as declared. */
  total: number;
  /** The directory was missing (a file cut off): entries were found by their own headers. */
  repaired: boolean;
  /** Some entry needs a password. */
  encrypted: boolean;
  /** Names are found whatever their case, with `/` or `\`, with or without a `/` in front. */
  has(name: string): boolean;
  /** Declared bytes unpacked; 0 for an unknown name. */
  size(name: string): number;
  /** The whole entry; throws like `chunks`, and when it has more than `maxBytes`. */
  read(name: string, options: { maxBytes: number }): Uint8Array;
  /**
   * The entry in pieces of at most 64 KB, unpacked as they are asked for. Throws StrideError
   * invalid_input; `isDamage` tells the errors after which the pieces so far are still good.
   */
  chunks(name: string): Generator<Uint8Array>;
}

const MAX_TOTAL_BYTES = 500 * 1024 * 1024;
/** Up to here any ratio is harmless; office files rarely pack better than 50:1. */
const FREE_TOTAL_BYTES = 20 * 1024 * 1024;
const MAX_RATIO = 200;
/** Deflate gives at most 1,032 bytes a byte, so one slice gives at most 4 MB. */
const SLICE_BYTES = 4 * 1024;
const PIECE_BYTES = 64 * 1024;
/**
 * All that one opened zip may give, whatever is asked of it: parts that are named again and again
 * cost each time. A book that is read whole has 20 MB; an ods is read once for each sheet.
 */
const MAX_WORK_BYTES = 64 * 1024 * 1024;
/** What opening a part costs at least: thousands of tiny ones are work too. */
const PART_BYTES = 16 * 1024;

/**
 * `what` names the file in errors. Throws StrideError invalid_input when it is no zip, holds
 * nothing that can be reached, or declares more than any real file does.
 */
export function openZip(
  bytes: Uint8Array,
  what: string,
  { maxWorkBytes = MAX_WORK_BYTES } = {},
): Zip {
  const central = centralEntries(bytes);
  const entries = central ?? localEntries(bytes);
  if (central === null && entries.length === 0) {
    throw damage(`${what} is not a whole zip file: nothing in it can be read`);
  }
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (
    total > MAX_TOTAL_BYTES ||
    (total > FREE_TOTAL_BYTES && total > MAX_RATIO * Math.max(1, bytes.length))
  ) {
    throw new StrideError(
      'invalid_input',
      `${what} would unpack to ${Math.ceil(total / 1024 / 1024)} MB from ${Math.ceil(bytes.length / 1024)} KB, which no real document does, so it was not opened; answer without it.`,
    );
  }
  const byKey = new Map(entries.map((entry) => [keyOf(entry.name), entry]));
  const chunks = (name: string) => {
    const entry = byKey.get(keyOf(name));
    if (entry === undefined) throw damage(`${what} has no part ${name}`);
    return budgeted(unpack(bytes, entry, what));
  };
  let work = 0;
  function spend(count: number): void {
    work += count;
    if (work > maxWorkBytes) throw tooMuchWork(what, maxWorkBytes);
  }
  function* budgeted(pieces: Generator<Uint8Array>): Generator<Uint8Array> {
    spend(PART_BYTES);
    for (const piece of pieces) {
      spend(piece.length);
      yield piece;
    }
  }
  return {
    names: entries.map(({ name }) => name),
    total,
    repaired: central === null,
    encrypted: entries.some(({ encrypted }) => encrypted),
    has: (name) => byKey.has(keyOf(name)),
    size: (name) => byKey.get(keyOf(name))?.size ?? 0,
    chunks,
    read(name, { maxBytes }) {
      const size = byKey.get(keyOf(name))?.size ?? 0;
      if (size > maxBytes) throw tooLarge({ what, name, maxBytes });
      return join(chunks(name), () => tooLarge({ what, name, maxBytes }), maxBytes);
    },
  };
}

function tooMuchWork(what: string, maxWorkBytes: number): StrideError {
  return new StrideError(
    'too_large',
    `${what} takes more than ${maxWorkBytes / 1024 / 1024} MB of unpacking to read, so it was not read on; ask for one sheet, use execute_python, or answer without it.`,
  );
}

/** Whether an error means a cut or corrupt entry: what was read before it is still good. */
export function isDamage(error: unknown): error is StrideError {
  return error instanceof StrideError && error.details?.damage === true;
}

function* unpack(bytes: Uint8Array, entry: ZipEntry, what: string): Generator<Uint8Array> {
  if (entry.encrypted) {
    throw new StrideError(
      'invalid_input',
      `${what} is protected by a password, so ${entry.name} cannot be read; ask for a copy without one, or answer without it.`,
    );
  }
  if (entry.start === null) throw damage(`${what} is damaged: ${entry.name} cannot be found in it`);
  const packed = bytes.subarray(entry.start, entry.start + entry.packed);
  let size = 0;
  let crc = 0;
  for (const piece of entry.method === 0 ? slices(packed) : inflate(packed, { entry, what })) {
    size += piece.length;
    if (size > entry.maxSize) {
      throw new StrideError(
        'invalid_input',
        `${what} is not what it says: ${entry.name} unpacks to more than the ${entry.maxSize} bytes it declares, so it was not read on; answer without it.`,
      );
    }
    crc = crc32(piece, crc);
    yield piece;
  }
  if (entry.crc === null) return;
  if (size < entry.size) throw damage(`${what} is cut off: ${entry.name} ends too early`);
  if (crc !== entry.crc) {
    throw damage(`${what} is damaged: the checksum of ${entry.name} does not match`);
  }
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function* inflate(packed: Uint8Array, { entry, what }: { entry: ZipEntry; what: string }) {
  if (entry.method !== 8) {
    throw new StrideError(
      'invalid_input',
      `${what} is packed in an unusual way (${entry.name}: zip method ${entry.method}); unpack it with execute_python.`,
    );
  }
  let out: Uint8Array = new Uint8Array(0);
  const stream = new Inflate((piece) => {
    out = piece;
  });
  for (let at = 0; at < packed.length; at += SLICE_BYTES) {
    try {
      stream.push(packed.subarray(at, at + SLICE_BYTES));
    } catch {
      // fflate's words ("invalid block type") tell nobody what to do.
      throw damage(`${what} is damaged: ${entry.name} cannot be unpacked to its end`);
    }
    yield* slices(out);
  }
}

function join(pieces: Iterable<Uint8Array>, tooMuch: () => Error, maxBytes: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes) throw tooMuch();
    kept.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of kept) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

function damage(sentence: string): StrideError {
  return new StrideError(
    'invalid_input',
    `${sentence}; ask for the file again, or answer without it.`,
    { damage: true },
  );
}

function tooLarge({ what, name, maxBytes }: { what: string; name: string; maxBytes: number }) {
  return new StrideError(
    'invalid_input',
    `${what} holds a part (${name}) of more than ${maxBytes} bytes; open it with execute_python.`,
  );
}
