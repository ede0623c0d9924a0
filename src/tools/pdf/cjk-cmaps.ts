/**
 * The predefined CMaps of Chinese, Japanese and Korean fonts, made when a file asks for one: a
 * Worker has no folder to load Adobe's 1.5 MB of tables from. Legacy encodings are decoded by
 * TextDecoder; the CIDs of the core standards are the real ones (so widths and fonts without a
 * predefined encoding are right), characters beyond them get a free CID that stays in here.
 */
import { CNS1_RANGES, GB1_RANGES, JAPAN1_RANGES, KOREA1_RANGES } from './cjk-ranges.ts';

type Ordering = 'GB1' | 'Japan1' | 'Korea1' | 'CNS1';

interface Collection {
  ranges: string;
  charset: string;
  /** First CID of the half-width ASCII characters; the proportional ones always start at 1. */
  halfAscii: number;
}

const COLLECTIONS: Readonly<Record<Ordering, Collection>> = {
  GB1: { ranges: GB1_RANGES, charset: 'gbk', halfAscii: 814 },
  Japan1: { ranges: JAPAN1_RANGES, charset: 'euc-jp', halfAscii: 231 },
  Korea1: { ranges: KOREA1_RANGES, charset: 'euc-kr', halfAscii: 8_094 },
  CNS1: { ranges: CNS1_RANGES, charset: 'big5', halfAscii: 13_648 },
};

/** Above every CID in common use; the same for all collections, as some files mix them up. */
const FREE_CID = 28_500;
/** What the free CIDs stand for, block after block. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [0xa0, 0x24f],
  [0x370, 0x45f],
  [0x2000, 0x27bf],
  [0x2e80, 0x33ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

/** Japan1's half-width katakana, one byte from 0xa1 in Shift JIS. */
const HALF_KATAKANA_CID = 327;

interface Encoding {
  ordering: Ordering;
  /** TextDecoder label; 'unicode' for the Uni* CMaps. */
  charset: string;
  /** Codes are the charset's with the high bits taken away (GB-H, H, KSC-H). */
  sevenBit: boolean;
  proportional: boolean;
}

const LEGACY: readonly (readonly [RegExp, Ordering, string, boolean?])[] = [
  [/^GB(pc)?-EUC-/, 'GB1', 'gbk'],
  [/^GBK(p)?-EUC-|^GBK2K-/, 'GB1', 'gbk'],
  [/^GB-[HV]$/, 'GB1', 'gbk', true],
  [/^(B5pc|ETen(ms)?-B5|ETHK-B5|HK\w+-B5)-/, 'CNS1', 'big5'],
  [/^(83pv|90msp?|90pv|Add|Ext|78|78ms)-RKSJ-|^RKSJ-/, 'Japan1', 'shift_jis'],
  [/^(78-)?EUC-[HV]$/, 'Japan1', 'euc-jp'],
  [/^(78|Add|Ext|NWP)?-?[HV]$/, 'Japan1', 'euc-jp', true],
  [/^KSC(ms-UHC|pc-EUC|-EUC)-/, 'Korea1', 'euc-kr'],
  [/^KSC-[HV]$/, 'Korea1', 'euc-kr', true],
];
const UNICODE = /^Uni(GB|JIS|KS|CNS)\w*-(UCS2|UTF16)(-HW)?-[HV]$/;
const PROPORTIONAL = /^(GBpc|GBKp|90msp|90pv|83pv|KSCpc|KSCms-UHC-[HV]|B5pc|ETenms|HK|Uni)/;
const UNICODE_ORDERINGS: ReadonlyMap<string, Ordering> = new Map([
  ['GB', 'GB1'],
  ['JIS', 'Japan1'],
  ['KS', 'Korea1'],
  ['CNS', 'CNS1'],
]);

/**
 * The text of a predefined CMap (`UniGB-UCS2-H`, `90ms-RKSJ-V`, …) or of a collection's way to
 * Unicode (`Adobe-Japan1-UCS2`), as pdf.js parses it; null when the name is not one we can make.
 */
export function cjkCMap(name: string): string | null {
  const toUnicode = /^Adobe-(GB1|Japan1|Korea1|CNS1)-UCS2$/.exec(name);
  if (toUnicode !== null) return unicodeCMap(toUnicode[1] as Ordering);
  const encoding = encodingOf(name);
  if (encoding === null) return null;
  const cids = encoding.charset === 'unicode' ? unicodeCodes(encoding) : legacyCodes(encoding);
  const vertical = name.endsWith('V') ? '/WMode 1 def\n' : '';
  return `/CMapName /${name} def\n${vertical}${codeSpace(encoding)}${cidRanges(cids)}endcmap\n`;
}

function encodingOf(name: string): Encoding | null {
  const proportional = PROPORTIONAL.test(name);
  const unicode = UNICODE.exec(name);
  const ordering = UNICODE_ORDERINGS.get(unicode?.[1] ?? '');
  if (ordering !== undefined) {
    return {
      ordering,
      charset: 'unicode',
      sevenBit: false,
      proportional: unicode?.[3] === undefined,
    };
  }
  for (const [pattern, ordering, charset, sevenBit] of LEGACY) {
    if (pattern.test(name)) return { ordering, charset, sevenBit: sevenBit === true, proportional };
  }
  return null;
}

/** CID → UTF-16 unit, core characters first. */
function coreOf(ordering: Ordering): Map<number, number> {
  const { ranges, charset, halfAscii } = COLLECTIONS[ordering];
  const decode = decoder(charset);
  const core = new Map<number, number>();
  for (const range of ranges.split(' ')) {
    const [codes = '', cid = ''] = range.split(':');
    const [first = '', length = '0'] = codes.split('-');
    const firstCode = Number.parseInt(first, 36);
    for (let step = 0; step <= Number.parseInt(length, 36); step++) {
      const unit = decode((firstCode + step) >> 8, (firstCode + step) & 0xff);
      if (unit !== null) core.set(Number.parseInt(cid, 36) + step, unit);
    }
  }
  for (let unit = 0x20; unit < 0x7f; unit++) {
    core.set(unit - 0x1f, unit);
    core.set(halfAscii + unit - 0x20, unit);
  }
  if (ordering === 'Japan1') {
    for (let step = 0; step < 63; step++) core.set(HALF_KATAKANA_CID + step, 0xff61 + step);
  }
  return core;
}

/** UTF-16 unit → CID: the core's own where there is one, else a free one. */
function cidsOf(ordering: Ordering): Map<number, number> {
  const cids = freeCids();
  const core = [...coreOf(ordering)].sort(([left], [right]) => right - left);
  for (const [cid, unit] of core) cids.set(unit, cid);
  return cids;
}

function freeCids(): Map<number, number> {
  const cids = new Map<number, number>();
  let cid = FREE_CID;
  for (const [first, last] of BLOCKS) {
    for (let unit = first; unit <= last; unit++) cids.set(unit, cid++);
  }
  return cids;
}

/** Two bytes as one UTF-16 unit, or null where the charset has no such character. */
function decoder(charset: string): (lead: number, trail: number) => number | null {
  const text = new TextDecoder(charset);
  const pair = new Uint8Array(2);
  return (lead, trail) => {
    pair[0] = lead;
    pair[1] = trail;
    const decoded = text.decode(pair);
    return decoded.length === 1 && decoded !== '\ufffd' ? decoded.charCodeAt(0) : null;
  };
}

/** Code → CID; codes of one byte are below 256 (pdf.js keeps codes as plain numbers). */
type Codes = Map<number, number>;

/** Free CIDs even for core characters: their text is right in a font of another collection too. */
function unicodeCodes({ ordering, proportional }: Encoding): Codes {
  const codes = freeCids();
  const ascii = proportional ? 1 : COLLECTIONS[ordering].halfAscii;
  for (let unit = 0x20; unit < 0x7f; unit++) codes.set(unit, ascii + unit - 0x20);
  return codes;
}

function legacyCodes({ ordering, charset, sevenBit, proportional }: Encoding): Codes {
  const decode = decoder(charset);
  const cids = cidsOf(ordering);
  const codes: Codes = new Map();
  const ascii = proportional ? 1 : COLLECTIONS[ordering].halfAscii;
  for (let unit = 0x20; unit < 0x7f && !sevenBit; unit++) codes.set(unit, ascii + unit - 0x20);
  if (charset === 'shift_jis') {
    for (let step = 0; step < 63; step++) codes.set(0xa1 + step, HALF_KATAKANA_CID + step);
  }
  const mask = sevenBit ? 0x7f7f : 0xffff;
  for (let lead = sevenBit ? 0xa1 : 0x81; lead < 0xff; lead++) {
    for (let trail = sevenBit ? 0xa1 : 0x40; trail < 0xff; trail++) {
      const unit = decode(lead, trail);
      const cid = unit === null ? undefined : cids.get(unit);
      if (cid !== undefined) codes.set(((lead << 8) | trail) & mask, cid);
    }
  }
  return codes;
}

/** Which first bytes start a code of one byte, which one of two. */
function codeSpace({ charset, sevenBit }: Encoding): string {
  const spaces =
    charset === 'unicode'
      ? ['<0000> <ffff>']
      : sevenBit
        ? ['<2121> <7e7e>']
        : charset === 'shift_jis'
          ? ['<00> <80>', '<8140> <9ffc>', '<a0> <df>', '<e040> <fcfc>']
          : ['<00> <80>', '<8140> <fefe>'];
  return `${spaces.length} begincodespacerange\n${spaces.join('\n')}\nendcodespacerange\n`;
}

function cidRanges(codes: Codes): string {
  const rows: string[] = [];
  let first = -1;
  let last = -1;
  let firstCid = 0;
  const flush = () => {
    if (first >= 0) rows.push(`<${four(first)}> <${four(last)}> ${firstCid}`);
  };
  for (const [code, cid] of codes) {
    if (code !== last + 1 || cid !== firstCid + code - first) {
      flush();
      first = code;
      firstCid = cid;
    }
    last = code;
  }
  flush();
  return `${rows.length} begincidrange\n${rows.join('\n')}\nendcidrange\n`;
}

/** CID → Unicode of a collection. A bfrange row counts up its last byte only. */
function unicodeCMap(ordering: Ordering): string {
  const core: string[] = [];
  for (const [cid, unit] of coreOf(ordering)) core.push(`<${four(cid)}> <${four(unit)}>`);
  const free: string[] = [];
  let cid = FREE_CID;
  for (const [first, last] of BLOCKS) {
    for (let unit = first; unit <= last; unit = (unit | 0xff) + 1) {
      const steps = Math.min(unit | 0xff, last) - unit;
      free.push(`<${four(cid)}> <${four(cid + steps)}> <${four(unit)}>`);
      cid += steps + 1;
    }
  }
  return [
    '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange',
    `${core.length} beginbfchar\n${core.join('\n')}\nendbfchar`,
    `${free.length} beginbfrange\n${free.join('\n')}\nendbfrange`,
    'endcmap\n',
  ].join('\n');
}

function four(value: number): string {
  return value.toString(16).padStart(4, '0');
}
