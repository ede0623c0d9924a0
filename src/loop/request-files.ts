/**
 * The images and documents of a request: references of the journal become base64 just before it is
 * sent. Which of them still go along is a function of the journal alone (the newest that fit), so a
 * replay sends the same bytes.
 */
import type {
  Base64ImageSource,
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Objects } from '../deps.ts';
import type { ModelRequest } from '../model/port.ts';
import type { ResultBlock, RunMessage } from './fold.ts';
import type { FileBlock, ToolContent } from './journal.ts';
import { NotReady } from './prepare.ts';
import type { RunRequest } from './request.ts';

/** The API takes 32 MB a request, and base64 adds a third: this leaves room for the text. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The API takes 100 images a request. */
const MAX_FILES = 60;

type SentContent = Exclude<ToolResultBlockParam['content'], string | undefined>[number];

/** The request with the bytes of its files. Throws NotReady when storage is out of reach. */
export async function loadRequestFiles(
  request: RunRequest,
  objects: Objects,
): Promise<ModelRequest> {
  const sent = newestFiles(request.messages);
  if (sent.size === 0) return withMessages(request, (block) => asText(block));
  const loaded = new Map<string, string | null>();
  // One after another: two copies of the largest file at a time, not of all of them.
  for (const { object } of sent) {
    if (loaded.has(object)) continue;
    const bytes = await objects.get(object).catch((error: unknown) => {
      throw new NotReady(error);
    });
    loaded.set(object, bytes === null ? null : toBase64(bytes));
  }
  return withMessages(request, (block) => {
    const data = sent.has(block) ? loaded.get(block.object) : undefined;
    return data === undefined ? asText(block) : data === null ? asGone(block) : asFile(block, data);
  });
}

/** The newest files that fit, by count and bytes. */
function newestFiles(messages: readonly RunMessage[]): Set<FileBlock> {
  const sent = new Set<FileBlock>();
  let room = MAX_FILE_BYTES;
  for (const block of filesOf(messages).reverse()) {
    if (block.bytes > room || sent.size === MAX_FILES) break;
    room -= block.bytes;
    sent.add(block);
  }
  return sent;
}

function filesOf(messages: readonly RunMessage[]): FileBlock[] {
  return messages
    .flatMap((message) => message.content.filter(isResult))
    .flatMap((result) => result.content.filter((block) => block.type === 'file'));
}

function isResult(block: RunMessage['content'][number]): block is ResultBlock {
  return block.type === 'tool_result';
}

function withMessages(
  request: RunRequest,
  toContent: (block: FileBlock) => SentContent,
): ModelRequest {
  const toSent = (block: ToolContent) => (block.type === 'file' ? toContent(block) : block);
  const messages: MessageParam[] = request.messages.map(({ role, content }) => ({
    role,
    content: content.map(
      (block): ContentBlockParam =>
        isResult(block) ? { ...block, content: block.content.map(toSent) } : block,
    ),
  }));
  return { ...request, messages };
}

function asFile(block: FileBlock, data: string): SentContent {
  if (block.as === 'document') {
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data };
    return { type: 'document', source, title: block.path };
  }
  // shapeContent lets no other media type through.
  const media_type = block.media_type as Base64ImageSource['media_type'];
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function asText({ as, path }: FileBlock): SentContent {
  const text = `[the ${as} ${path} was shown here; newer ones take its room: call the tool again to see it]`;
  return { type: 'text', text };
}

function asGone({ as, path }: FileBlock): SentContent {
  return { type: 'text', text: `[the ${as} ${path} is no longer stored]` };
}

/** In pieces: `String.fromCharCode` takes its bytes as arguments. A multiple of 3 needs no padding. */
const BASE64_PIECE = 3 * 8_192;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BASE64_PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BASE64_PIECE)));
  }
  return text;
}
