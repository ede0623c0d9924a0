/**
 * prepare: all I/O that comes before the first model call, done once and put on record. Pins the
 * prompt and the tool list by digest, so that a deploy never changes a running conversation.
 */
import type { Objects } from '../deps.ts';
import { priceOf } from '../model/prices.ts';
import type { Tool } from '../tools/define.ts';
import { chooseDomain, type Domain, hintFor } from '../tools/domains/domain.ts';
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
  const { tools, leftOut, domain } = chooseTools(started, deps);
  const names = tools.map((tool) => tool.name);
  const language = questionLanguage(started.question);
  const model = options.model ?? deps.config.model;
  const { definitions } = deps.tools.definitions(names);
  const today = new Date(lease.now()).toISOString().slice(0, 10);
  const workflowHint = domain ? hintFor(domain, { language, tools: names }) : '';
  const system = buildSystemPrompt({ language, tools: names, leftOut, workflowHint, today });
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
    domain: domain?.name ?? null,
    knowledge: { outcome: 'off' },
  };
}

/** Tools that wait for a person: those of the deployment and those of the run. */
function guardedTools({ config }: StepContext['deps'], ofRun: string[], offered: string[]) {
  const guarded = new Set([...config.approvalTools, ...ofRun]);
  return offered.filter((name) => guarded.has(name));
}

/** The deployment's tools and those of the run's domain, narrowed to those the run asked for. */
function chooseTools(started: RunStarted, deps: StepContext['deps']) {
  const { options, context = [] } = started;
  const wanted = options.tools;
  const domain = chooseDomain(deps.tools.domains, {
    asked: options.domain,
    tools: wanted,
    // A follow-up ("and with five arms?") is about what came before it.
    question: [started, ...context].map(({ question }) => question).join('\n'),
  });
  const sandbox = deps.sandboxes !== null;
  const { tools, leftOut } = availableTools(deps.tools, { sandbox, domain });
  if (!wanted) return { tools, leftOut, domain };
  const narrowed = tools.filter((tool) => wanted.includes(tool.name));
  return { tools: narrowed, leftOut, domain: hasPart(domain, narrowed) ? domain : null };
}

/** A domain whose tools the run did without has nothing to say; one without tools is advice alone. */
function hasPart(domain: Domain | null, tools: readonly Tool[]): boolean {
  return domain?.tools.length === 0 || tools.some((tool) => domain?.tools.includes(tool));
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

/** Storage is out of reach: nothing was done and nothing paid, so the run can simply wait. */
export class NotReady extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.name = 'NotReady';
  }
}

/** Puts the prompt unless it is there: runs of one day share it, and it is larger than a short run. */
async function pin(objects: Objects, { key, bytes }: { key: string; bytes: Uint8Array }) {
  try {
    const found = await objects.get(key, { offset: 0, length: 1 });
    if (!found) await objects.put(key, bytes, 'application/json');
  } catch (error) {
    throw new NotReady(error);
  }
}

/** Throws NotReady when the pinned prompt cannot be read: no other one may take its place. */
export async function loadPrompt(objects: Objects, sha: string): Promise<PinnedPrompt> {
  const bytes = await objects.get(promptKey(sha)).catch((error: unknown) => {
    throw new NotReady(error);
  });
  if (!bytes) throw new NotReady(new Error(`the pinned prompt ${sha} is gone`));
  return JSON.parse(new TextDecoder().decode(bytes)) as PinnedPrompt;
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
