// What the model says and the tools return in a counted run: the sizes and the make-up of text that
// runs have (thinking with its signature, prose, JSON, tables, some Chinese), the same each time.
// Turns repeat in rounds of ten, so that runs of different lengths have the same mix.

import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import type { ModelReply } from '../../src/model/port.ts';

export type CallKind = 'read' | 'keyed' | 'once';
type Style = 'prose' | 'json' | 'table' | 'chinese';

interface PlannedCall {
  kind: CallKind;
  style: Style;
  bytes: number;
}

/** Half a round: what each of its turns calls. */
const HALF: readonly (readonly PlannedCall[])[] = [
  [
    { kind: 'read', style: 'json', bytes: 6_000 },
    { kind: 'read', style: 'prose', bytes: 24_000 },
  ],
  [{ kind: 'keyed', style: 'json', bytes: 1_200 }],
  [
    { kind: 'read', style: 'prose', bytes: 80 },
    { kind: 'read', style: 'table', bytes: 3_000 },
    { kind: 'once', style: 'prose', bytes: 400 },
  ],
  [{ kind: 'read', style: 'chinese', bytes: 12_000 }],
  [
    { kind: 'read', style: 'prose', bytes: 1_000 },
    { kind: 'keyed', style: 'json', bytes: 600 },
  ],
];
/** Longer than the 32 KB the model is shown: the whole goes to an object, the preview to the journal. */
const LONG: PlannedCall = { kind: 'read', style: 'table', bytes: 60_000 };
const ROUND = [...HALF, ...HALF.map((calls, turn) => (turn === 1 ? [...calls, LONG] : calls))];
const THINKING_BYTES = 1_500;
const SIGNATURE_BYTES = 700;
const TEXT_BYTES = 300;

const ENGLISH =
  'the of a result figure shows that between model study rate was found "measured" in table and for it paper'.split(
    ' ',
  );
const CHINESE = ['研究', '结果', '表明', '，', '在', '模型', '数据', '中', '的', '增长', '。'];

export interface Conversation {
  /** Reply number `turn` (from 0); the one after the last tooled turn answers. */
  reply(turn: number): ModelReply;
  /** What the call returns. */
  result(toolUseId: string): string;
  /** UTF-8 bytes of all replies and results given so far: text, thinking, signatures, inputs. */
  contentBytes(): number;
}

/** A run of `turns` replies; the last one is the answer. */
export function createConversation(turns: number): Conversation {
  const random = createRandom();
  const planned = new Map<string, PlannedCall>();
  let contentBytes = 0;

  function write(style: Style, bytes: number): string {
    let text = '';
    let size = 0;
    while (size < bytes) {
      const piece = pieceOf(style, random);
      text += piece;
      size += Buffer.byteLength(piece);
    }
    contentBytes += size;
    return text;
  }

  function toUse(call: PlannedCall, id: string): ContentBlock {
    planned.set(id, call);
    const input = { query: write('prose', 60), page: planned.size };
    contentBytes += Buffer.byteLength(JSON.stringify(input)) - 60;
    return { type: 'tool_use', id, name: `do_${call.kind}`, input, caller: { type: 'direct' } };
  }

  return {
    reply(turn) {
      const isLast = turn === turns - 1;
      const calls = isLast ? [] : (ROUND[turn % ROUND.length] ?? []);
      const signature = Array.from({ length: SIGNATURE_BYTES }, () =>
        Math.floor(random() * 36).toString(36),
      ).join('');
      contentBytes += SIGNATURE_BYTES;
      const answer = '\n\nFINAL ANSWER: 42';
      if (isLast) contentBytes += answer.length;
      const content: ContentBlock[] = [
        { type: 'thinking', thinking: write('prose', THINKING_BYTES), signature },
        {
          type: 'text',
          text: write('prose', TEXT_BYTES) + (isLast ? answer : ''),
          citations: null,
        },
        ...calls.map((call, i) => toUse(call, `toolu_${String(turn).padStart(20, '0')}_${i}`)),
      ];
      return {
        kind: 'reply',
        content,
        stopReason: isLast ? 'end_turn' : 'tool_use',
        model: 'claude-sonnet-5-5',
        usage: {
          input_tokens: 30_412,
          output_tokens: 871,
          cache_creation_input_tokens: 5_120,
          cache_read_input_tokens: 24_960,
        },
      };
    },
    result(toolUseId) {
      const call = planned.get(toolUseId);
      if (!call) throw new Error(`no call ${toolUseId} was planned`);
      return write(call.style, call.bytes);
    },
    contentBytes: () => contentBytes,
  };
}

function pieceOf(style: Style, random: () => number): string {
  const word = (words: string[]) => words[Math.floor(random() * words.length)] ?? '';
  const figure = (random() * 1e4).toFixed(2);
  switch (style) {
    case 'prose':
      return random() < 0.03 ? `${word(ENGLISH)}.\n` : `${word(ENGLISH)} `;
    case 'json':
      return `{"title": "${word(ENGLISH)} ${word(ENGLISH)}", "score": ${figure}},\n`;
    case 'table':
      return `${word(ENGLISH)},${figure},${Math.floor(random() * 1e6)}\n`;
    case 'chinese':
      return word(CHINESE);
  }
}

/** mulberry32: small, and the same on every machine. */
function createRandom(): () => number {
  let state = 0x5eed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
