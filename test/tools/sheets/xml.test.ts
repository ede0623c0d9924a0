import { strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { StrideError } from '../../../src/errors.ts';
import { parseXml, stopXml, type XmlResult } from '../../../src/tools/sheets/xml.ts';

const signal = new AbortController().signal;

/** Parses pieces of the given size and writes down what the handlers were told. */
function events(source: string | Uint8Array, size = 7): { seen: string[]; result: XmlResult } {
  const bytes = typeof source === 'string' ? strToU8(source) : source;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const seen: string[] = [];
  const result = parseXml(
    pieces,
    {
      open: (name, attributes) =>
        seen.push(`<${[name, ...Object.entries(attributes).flat()].join(' ')}>`),
      text: (text) => seen.push(text),
      close: (name) => seen.push(`</${name}>`),
    },
    { what: 'x.xlsx', signal },
  );
  return { seen, result };
}

describe('parseXml', () => {
  it('tells elements, attributes and texts in order, whatever the size of the pieces', () => {
    const source = '<a x="1"><b y="&lt;2&#33;"/>t&amp;u é𝄞</a>';
    const expected = ['<a x 1>', '<b y <2!>', '</b>', 't&u é𝄞', '</a>'];
    for (const size of [1, 2, 3, 1_000]) {
      expect(events(source, size)).toEqual({
        seen: expected,
        result: { stopped: false, damage: null },
      });
    }
  });

  it('gives a text in one piece across comments and CDATA', () => {
    expect(events('<a>one <!-- x -->two<![CDATA[ <three>]]></a>').seen).toEqual([
      '<a>',
      'one two <three>',
      '</a>',
    ]);
  });

  it('knows elements by local names, and attributes by those and by their whole names', () => {
    const { seen } = events('<x:a xmlns:x="u" r:id="7" x:t="1" c:t="2" t2="3"/>');
    expect(seen).toEqual(['<a xmlns:x u r:id 7 x:t 1 c:t 2 t2 3 id 7 t 1>', '</a>']);
  });

  it('reads UTF-16 with and without a mark, and other encodings as declared', () => {
    const utf16 = (text: string, little: boolean) => {
      const bytes = new Uint8Array(text.length * 2);
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < text.length; at += 1)
        view.setUint16(at * 2, text.charCodeAt(at), little);
      return bytes;
    };
    const source = '<?xml version="1.0" encoding="UTF-16"?><a>é東</a>';
    for (const little of [true, false]) {
      expect(events(utf16(`\ufeff${source}`, little)).seen).toEqual(['<a>', 'é東', '</a>']);
      expect(events(utf16(source, little)).seen).toEqual(['<a>', 'é東', '</a>']);
    }
    const latin = Uint8Array.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', (c) =>
      c.charCodeAt(0),
    );
    expect(events(latin, 100).seen).toEqual(['<a>', 'é', '</a>']);
    expect(
      events(strToU8('\ufeff<?xml version="1.0" encoding="utf-16"?><a>é</a>'), 100).seen,
    ).toEqual(['<a>', 'é', '</a>']);
  });

  it('refuses a DOCTYPE before any entity of it counts', () => {
    const laughs = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>';
    const seen: string[] = [];
    const run = () =>
      parseXml([strToU8(laughs)], { text: (text) => seen.push(text) }, { what: 'x.xlsx', signal });
    expect(run).toThrow(StrideError);
    expect(run).toThrow(/^x\.xlsx holds XML with a DOCTYPE/);
    expect(seen).toEqual([]);
  });

  it('keeps what came before the end of a cut document, and says that it is cut', () => {
    const { seen, result } = events('<a><b>1</b><b>2');
    expect(seen).toEqual(['<a>', '<b>', '1', '</b>', '<b>']);
    expect(result).toEqual({ stopped: false, damage: 'is cut off' });
    expect(events('').result.damage).toBe('is cut off');
  });

  it('stops at broken XML, but not at a stray character or entity', () => {
    const broken = events('<a><b>1</b><b x=1/><c/></a>');
    expect(broken.seen).toEqual(['<a>', '<b>', '1', '</b>']);
    expect(broken.result.damage).toMatch(/^is not well-formed XML/);
    const stray = events('<a>1\u0001<b/>&nbsp;</a>');
    expect(stray.seen).toEqual(['<a>', '1\u0001', '<b>', '</b>', '&nbsp;', '</a>']);
    expect(stray.result.damage).toMatch(/^is not well-formed XML \(disallowed character/);
  });

  it('ends when a handler stops it, without asking for more pieces', () => {
    let asked = 0;
    function* pieces() {
      for (const piece of ['<a><b/>', '<c/>', '</a>']) {
        asked += 1;
        yield strToU8(piece);
      }
    }
    const seen: string[] = [];
    const open = (name: string) => {
      seen.push(name);
      if (name === 'b') stopXml();
    };
    expect(parseXml(pieces(), { open }, { what: 'x.xlsx', signal })).toEqual({
      stopped: true,
      damage: null,
    });
    expect([seen, asked]).toEqual([['a', 'b'], 1]);
  });

  it('passes on what a handler throws, and the reason of an abort', () => {
    const open = () => {
      throw new RangeError('mine');
    };
    expect(() => parseXml([strToU8('<a/>')], { open }, { what: 'x', signal })).toThrow('mine');
    const aborted = AbortSignal.abort(new Error('time is up'));
    expect(() => parseXml([strToU8('<a/>')], {}, { what: 'x', signal: aborted })).toThrow(
      'time is up',
    );
  });

  it('ends at nesting and at values that no document has', () => {
    expect(events('<a>'.repeat(10_000), 1_000).result.damage).toBe(
      'is nested deeper than any document',
    );
    function* endless() {
      yield strToU8('<a>');
      for (;;) yield new Uint8Array(1_000_000).fill(0x61);
    }
    const result = parseXml(endless(), { text: () => undefined }, { what: 'x', signal });
    expect(result.damage).toBe('holds one value of over 8 MB');
  });

  it('cuts values that no cell has, and says so in them', () => {
    const long = 'x'.repeat(70_000);
    const { seen } = events(`<a b="${long}">${long}</a>`, 4_096);
    const cut = `${'x'.repeat(65_536)}… (cut: too long)`;
    expect(seen).toEqual([`<a b ${cut}>`, cut, '</a>']);
  });

  it('ends at a tag of more attributes than any document has', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => `a${at}="1"`).join(' ');
    expect(events(`<a ${many}/>`, 4_096).result.damage).toBe('holds a tag of too many attributes');
  });
});
