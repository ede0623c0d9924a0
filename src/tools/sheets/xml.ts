/**
 * Parses XML of any length from pieces of bytes, holding only the open tags and one text. Elements
 * and attributes are known by their local names, since writers choose prefixes freely. A DOCTYPE is
 * refused, and saxes defines no entity from one, so nothing ever expands or is fetched.
 */
import { SaxesParser } from 'saxes';
import { StrideError } from '../../errors.ts';
import { isDamage } from './zip.ts';

/**
 * Values by local name (`id` of `r:id`) and, of those with a prefix, also by the whole name as
 * written. Of two that share a local name the first counts. Has no prototype.
 */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export interface XmlHandlers {
  open?(name: string, attributes: XmlAttributes): void;
  /** Text between two tags, in one piece, entities and CDATA resolved; also white space. */
  text?(text: string): void;
  /** Also called for `<a/>`. */
  close?(name: string): void;
}

export interface XmlResult {
  /** A handler ended the parse by `stopXml`. */
  stopped: boolean;
  /** What was wrong, as the end of a sentence ("… is cut off"); null for a whole document. */
  damage: string | null;
}

/** A tag or text longer than this is no document; it would have to be held whole. */
const MAX_TOKEN_CHARS = 8 * 1024 * 1024;
const MAX_DEPTH = 256;
/** Characters of one text or attribute that are passed on: Excel's longest cell has half of them. */
const MAX_VALUE_CHARS = 65_536;
const CUT_MARK = '… (cut: too long)';
const MAX_ATTRIBUTES = 1_000;
/** Of one part: a book that is read whole has a tenth of them. */
const MAX_ELEMENTS = 4_000_000;
const STOPPED = Symbol('stopped');
/** Thrown by `damaged`: the text is no XML from here on. */
class XmlDamage extends Error {}

/** Called by a handler: ends the parse at once. */
export function stopXml(): never {
  throw STOPPED;
}

/**
 * Calls the handlers in document order. A document that is cut off or not well-formed is parsed up
 * to there, and `damage` says so. `what` names it in errors. Throws StrideError invalid_input for a
 * DOCTYPE, what the handlers or `chunks` throw (but for damage), and whatever `signal` was aborted with.
 */
export function parseXml(
  chunks: Iterable<Uint8Array>,
  handlers: XmlHandlers,
  { what, signal }: { what: string; signal: AbortSignal },
): XmlResult {
  const parser = createParser(handlers, what);
  let decoder: TextDecoder | null = null;
  let damage: string | null = null;
  try {
    try {
      for (const chunk of chunks) {
        signal.throwIfAborted();
        decoder ??= decoderFor(chunk);
        parser.write(decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = 'is damaged or cut off';
    }
    parser.end((decoder ?? new TextDecoder()).decode());
  } catch (error) {
    if (error === STOPPED) return { stopped: true, damage: null };
    if (!(error instanceof XmlDamage)) throw error;
    damage ??= error.message;
  }
  return { stopped: false, damage: damage ?? parser.flaw() };
}

function createParser(handlers: XmlHandlers, what: string) {
  const parser = new SaxesParser({ position: false, xmlns: false } as const);
  const names = localNames();
  let text = '';
  let depth = 0;
  let charsSinceToken = 0;
  let elements = 0;
  let flaw: string | null = null;
  const flush = () => {
    charsSinceToken = 0;
    if (text === '') return;
    const whole = text;
    text = '';
    handlers.text?.(whole);
  };
  parser.on('doctype', () => refuseDoctype(what));
  parser.on('error', (error) => {
    flaw ??= flawOf(error.message);
    if (!isHarmless(error.message)) throw new XmlDamage(flawOf(error.message));
  });
  if (handlers.text) {
    // A comment or CDATA section splits a text in saxes; values must arrive whole.
    const add = (part: string) => {
      if (text.length <= MAX_VALUE_CHARS) text = bounded(text + part);
    };
    parser.on('text', add);
    parser.on('cdata', add);
  }
  let hasPrefix = false;
  let isLong = false;
  let attributes = 0;
  parser.on('attribute', ({ name, value }) => {
    hasPrefix ||= name.includes(':');
    isLong ||= value.length > MAX_VALUE_CHARS;
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) throw new XmlDamage('holds a tag of too many attributes');
  });
  parser.on('opentag', (tag) => {
    flush();
    depth += 1;
    elements += 1;
    if (depth > MAX_DEPTH) throw new XmlDamage('is nested deeper than any document');
    if (elements > MAX_ELEMENTS) throw new XmlDamage('has more elements than any document');
    if (isLong) cutValues(tag.attributes);
    handlers.open?.(names(tag.name), hasPrefix ? localAttributes(tag.attributes) : tag.attributes);
    hasPrefix = false;
    isLong = false;
    attributes = 0;
  });
  parser.on('closetag', (tag) => {
    flush();
    depth -= 1;
    handlers.close?.(names(tag.name));
  });
  return {
    write(part: string) {
      charsSinceToken += part.length;
      parser.write(part);
      if (charsSinceToken > MAX_TOKEN_CHARS) throw new XmlDamage('holds one value of over 8 MB');
    },
    end(part: string) {
      parser.write(part);
      parser.close();
    },
    flaw: () => flaw,
  };
}

/** What is cut says so: a value that ends in silence would be taken for the whole. */
function bounded(value: string): string {
  return value.length > MAX_VALUE_CHARS ? value.slice(0, MAX_VALUE_CHARS) + CUT_MARK : value;
}

function cutValues(attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) attributes[name] = bounded(value);
}

function refuseDoctype(what: string): never {
  throw new StrideError(
    'invalid_input',
    `${what} holds XML with a DOCTYPE, which no spreadsheet needs and attacks use, so it was not read; answer without it.`,
  );
}

/** Errors saxes recovers from without losing its place: an odd character, an unknown entity. */
function isHarmless(message: string): boolean {
  return /disallowed character|undefined entity|malformed character entity|XML declaration|version/i.test(
    message,
  );
}

function flawOf(message: string): string {
  return /unclosed|unexpected end|must contain a root/i.test(message)
    ? 'is cut off'
    : `is not well-formed XML (${message.replace(/\.$/, '')})`;
}

/** The same few names come a million times, so the cut at the colon is kept. */
function localNames(): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let local = known.get(name);
    if (local === undefined) {
      local = name.slice(name.indexOf(':') + 1);
      if (known.size < 1_000) known.set(name, local);
    }
    return local;
  };
}

function localAttributes(attributes: Record<string, string>): XmlAttributes {
  const all: Record<string, string> = Object.assign(Object.create(null), attributes);
  for (const [name, value] of Object.entries(attributes)) {
    const local = name.slice(name.indexOf(':') + 1);
    if (!name.startsWith('xmlns:')) all[local] ??= value;
  }
  return all;
}

function decoderFor(start: Uint8Array): TextDecoder {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  if (first === 0x3c && second === 0) return new TextDecoder('utf-16le');
  if (first === 0 && second === 0x3c) return new TextDecoder('utf-16be');
  const head = String.fromCharCode(...start.subarray(0, 200));
  const label = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
  // Bytes without a BOM that call themselves UTF-16 have just been read as ASCII: they are not.
  if (label === undefined || /^utf-?16/i.test(label)) return new TextDecoder();
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
