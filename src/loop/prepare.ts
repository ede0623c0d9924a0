/**
 * prepare: all I/O that comes before the first model call, done once and put on record. Pins the
 * prompt and the tool list by digest, so that a deploy never changes a running conversation.
 */
import type { Objects } from '../deps.ts';
import { priceOf } from '../model/prices.ts';
import { availableTools } from '../tools/registry.ts';
import type { Draft, RunPrepared, RunStarted } from './journal.ts';
import { questionLanguage } from './language.ts';
import { buildSystemPrompt, userMessage } from './prompt.ts';
import type { PinnedPrompt } from './request.ts';
import type { StepContext } from './step-context.ts';

const encoder = new TextEncoder();

export async function prepare({ deps, lease }: StepContext): Promise<Draft<RunPrepared>> {
  const { started } = lease.view();
  const { options } = started;
  const { tools, leftOut } = chooseTools(started, deps);
  const names = tools.map((tool) => tool.name);
  const language = questionLanguage(started.question);
  const model = options.model ?? deps.config.model;
  const { definitions } = deps.tools.definitions(names);
  const today = new Date(lease.now()).toISOString().slice(0, 10);
  const system = buildSystemPrompt({ language, tools: names, leftOut, today });
  const bytes = encoder.encode(
    JSON.stringify({ system, tools: definitions } satisfies PinnedPrompt),
  );
  const prompt = await sha256(bytes);
  await pin(deps.objects, { key: promptKey(prompt), bytes });
  const { window, ...prices } = priceOf(model, deps.config.prices);
  return {
    type: 'run_prepared',
    prompt,
    prompt_bytes: bytes.length,
    user_suffix: suffixOf(started),
    model,
    window,
    prices,
    tools: names,
    left_out: leftOut,
    approvals: guardedTools(deps, options.approvals ?? [], names),
    domain: null,
    knowledge: { outcome: 'off' },
  };
}

/** Tools that wait for a person: those of the deployment and those of the run. */
function guardedTools({ config }: StepContext['deps'], ofRun: string[], offered: string[]) {
  const guarded = new Set([...config.approvalTools, ...ofRun]);
  return offered.filter((name) => guarded.has(name));
}

/** The deployment's tools, narrowed to those the run asked for. */
function chooseTools(started: RunStarted, deps: StepContext['deps']) {
  const { tools, leftOut } = availableTools(deps.tools, { sandbox: deps.sandboxes !== null });
  const wanted = started.options.tools;
  if (!wanted) return { tools, leftOut };
  return { tools: tools.filter((tool) => wanted.includes(tool.name)), leftOut };
}

/** The first user message is the question, exactly as asked, and this. */
function suffixOf(started: RunStarted): string {
  const { question, files, context } = started;
  const message = userMessage({
    question,
    files,
    context: context ?? [],
    language: questionLanguage(question),
  });
  if (!message.startsWith(question)) throw new Error('the question must stand first');
  return message.slice(question.length);
}

const promptKey = (sha: string) => `prompts/${sha}`;

/** Puts the prompt unless it is there: runs of one day share it, and it is larger than a short run. */
async function pin(objects: Objects, { key, bytes }: { key: string; bytes: Uint8Array }) {
  const found = await objects.get(key, { offset: 0, length: 1 });
  if (!found) await objects.put(key, bytes, 'application/json');
}

/** Throws when the pinned prompt is gone: the run cannot go on with another one. */
export async function loadPrompt(objects: Objects, sha: string): Promise<PinnedPrompt> {
  const bytes = await objects.get(promptKey(sha));
  if (!bytes) throw new Error(`the pinned prompt ${sha} is gone`);
  return JSON.parse(new TextDecoder().decode(bytes)) as PinnedPrompt;
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
