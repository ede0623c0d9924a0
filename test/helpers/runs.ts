/** Small builders for journals and runs, shared by the loop's tests. */

import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import {
  type Draft,
  type Entry,
  type ModelReplied,
  type RunPrepared,
  type RunStarted,
  stamp,
  type ToolFinished,
} from '../../src/loop/journal.ts';
import type { AcceptRun, Grant, HolderAppend, Store } from '../../src/loop/store.ts';

export const LIMITS = { turns: 10, tool_calls: 60, tokens: 1_000_000, usd: 1, seconds: 1800 };

export const started = (fields: Partial<RunStarted> = {}): Draft<RunStarted> => ({
  type: 'run_started',
  question: 'What is 2 + 2?',
  files: [],
  options: {},
  limits: LIMITS,
  source: 'api',
  owner: 'local',
  ...fields,
});

export const prepared = (fields: Partial<RunPrepared> = {}): Draft<RunPrepared> => ({
  type: 'run_prepared',
  prompt: 'f'.repeat(64),
  prompt_bytes: 4_000,
  user_suffix: '',
  model: 'claude-sonnet-5-5',
  window: 200_000,
  prices: { input: 3, output: 15, cache_write: 3.75, cache_read: 0.3, known: true },
  tools: ['calc', 'read_file'],
  left_out: [],
  approvals: [],
  domain: null,
  knowledge: { outcome: 'off' },
  ...fields,
});

export const text = (value: string): ContentBlock => ({
  type: 'text',
  text: value,
  citations: null,
});

export const use = (
  id: string,
  name = 'calc',
  input: unknown = { expression: '1' },
): ContentBlock =>
  ({ type: 'tool_use', id, name, input, caller: { type: 'direct' } }) as ContentBlock;

export const replied = (
  content: ContentBlock[],
  fields: Partial<ModelReplied> = {},
): Draft<ModelReplied> => ({
  type: 'model_replied',
  purpose: 'turn',
  content,
  stop_reason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
  model: 'claude-sonnet-5-5',
  usage: {
    input_tokens: 100,
    output_tokens: 50,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
  cost_micro_usd: 1_000,
  ms: 5,
  ...fields,
});

export const finishedCall = (
  id: string,
  value = '4',
  fields: Partial<ToolFinished> = {},
): Draft<ToolFinished> => ({
  type: 'tool_finished',
  tool_use_id: id,
  name: 'calc',
  outcome: 'done',
  content: [{ type: 'text', text: value }],
  is_error: false,
  ms: 1,
  ...fields,
});

/** Drafts to entries, one second apart. */
export const journal = (...drafts: Draft[]): Entry[] =>
  drafts.map((draft, i) => stamp(draft, 1_000_000 + i * 1_000));

export const acceptance = (id: string, fields: Partial<AcceptRun> = {}): AcceptRun => ({
  id,
  owner: 'local',
  entry: started(),
  drive: 'queue',
  limitMicroUsd: 1_000_000,
  dayLimitMicroUsd: 20_000_000,
  maxActive: 20,
  dedupe: null,
  outbox: {},
  ...fields,
});

/** The append of a grant's holder, with the journal length it has folded as base. */
export const appendOf = (grant: Grant, fields: Partial<HolderAppend> = {}): HolderAppend => ({
  id: grant.head.id,
  epoch: grant.head.epoch,
  nonce: grant.head.nonce,
  commit: 1,
  base: grant.length,
  lines: [],
  usageKey: grant.head.usageKey,
  activeKey: grant.head.activeKey,
  ...fields,
});

/** Claims and insists on a grant. */
export async function claimed(store: Store, id: string, nonce: string): Promise<Grant> {
  const answer = await store.claim(id, nonce);
  if (answer.kind !== 'grant') throw new Error(`expected a grant, got ${answer.kind}`);
  return answer;
}
