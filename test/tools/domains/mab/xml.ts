/** A strict reader of the XML that our plots are made of: elements, attributes, text, no more. */

const TAG = /<(\/?)([a-zA-Z]\w*)((?: [\w:-]+="[^"<]*")*)(\/?)>/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;

/** Names of all elements in order. Throws where the text is not well-formed. */
export function parseXml(xml: string): string[] {
  const names: string[] = [];
  const open: string[] = [];
  let at = 0;
  while (at < xml.trimEnd().length) {
    if (xml[at] !== '<') {
      const end = xml.indexOf('<', at);
      const text = xml.slice(at, end < 0 ? undefined : end);
      if (ENTITY.test(text) || text.includes('>')) throw new Error(`bad text: ${text}`);
      if (open.length === 0 && text.trim() !== '') throw new Error(`text outside: ${text}`);
      at += text.length;
      continue;
    }
    TAG.lastIndex = at;
    const match = TAG.exec(xml);
    if (match === null) throw new Error(`bad markup at ${xml.slice(at, at + 60)}`);
    const [whole, closing, name = '', attributes = '', empty] = match;
    const keys = [...attributes.matchAll(/ ([\w:-]+)=/g)].map(([, key]) => key);
    if (new Set(keys).size !== keys.length) throw new Error(`an attribute twice: ${whole}`);
    if (ENTITY.test(attributes)) throw new Error(`bad attribute: ${whole}`);
    if (closing === '/') {
      if (open.pop() !== name) throw new Error(`unexpected ${whole}`);
    } else {
      if (open.length === 0 && names.length > 0) throw new Error(`a second root: ${whole}`);
      names.push(name);
      if (empty !== '/') open.push(name);
    }
    at += whole.length;
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
  return names;
}

/** What stands in the text elements. */
export function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
}
