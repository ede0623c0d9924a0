/**
 * Server-sent events out of a response body, as the HTML standard (section 9.2.6) reads them:
 * CR, LF or CRLF end a line, an empty line ends an event, an unfinished event at the end is dropped.
 */

export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Yields a comment line (a keep-alive) as null, so that a reader can tell silence from life. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent | null> {
  let pending = { id: null as string | null, event: 'message', data: [] as string[] };
  for await (const line of readLines(body)) {
    if (line === '') {
      if (pending.data.length > 0) yield { ...pending, data: pending.data.join('\n') };
      pending = { id: null, event: 'message', data: [] };
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === '') yield null;
    else if (field === 'data') pending.data.push(value);
    else if (field === 'event') pending.event = value;
    else if (field === 'id' && !value.includes('\0')) pending.id = value;
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let endedInCr = false;
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    // A CR ends its line at once; a LF that comes with the next chunk belongs to it.
    if (endedInCr && text.startsWith('\n')) text = text.slice(1);
    endedInCr = text.endsWith('\r');
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
