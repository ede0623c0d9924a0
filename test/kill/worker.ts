/**
 * The Worker of the kill tests: Stride's own handlers, with tools of each effect that report their
 * start and end to a counter outside this process, deliveries that do the same and take a while,
 * and one route that says where Redis is. Bundled by the launcher, never part of Stride.
 */
import { z } from 'zod';
import { createWorker } from '../../src/index.ts';
import { createDeliveries, type Delivery } from '../../src/loop/deliver.ts';
import type { RunStarted } from '../../src/loop/journal.ts';
import { defineTool, type Tool, type ToolContext } from '../../src/tools/define.ts';
import { executePython } from '../../src/tools/execute-python.ts';
import { buildDefaultRegistry, createRegistry } from '../../src/tools/registry.ts';

const DELIVERY_MS = 400;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function report(counter: string, event: Record<string, unknown>): Promise<void> {
  const response = await fetch(counter, { method: 'POST', body: JSON.stringify(event) });
  await response.body?.cancel();
}

/** What the counter hears of a call; the label is the caller's name for it. */
async function counted<Value>(
  { counter, label, effect }: { counter: string; label: string; effect: Tool['effect'] },
  { context, work }: { context: ToolContext; work: () => Promise<Value> },
): Promise<Value> {
  const call = { label, effect, run: context.runId, id: context.toolUseId };
  await report(counter, { ...call, kind: 'tool_start', key: context.idempotencyKey });
  const value = await work();
  await report(counter, { ...call, kind: 'tool_end', key: context.idempotencyKey });
  return value;
}

const countingTools = (['pure', 'keyed', 'once'] as const).map((effect) =>
  defineTool({
    name: `count_${effect}`,
    description: `Works for a while; its effect is ${effect}.`,
    input: z.object({ counter: z.string(), label: z.string(), ms: z.number() }),
    effect,
    run: ({ counter, label, ms }, context) =>
      counted(
        { counter, label, effect },
        {
          context,
          work: async () => {
            await sleep(ms);
            return `${label} is done`;
          },
        },
      ),
  }),
);

/** The real tool; counter and label stand in the first line of its code. */
const countedPython: Tool = {
  ...executePython,
  run(input, context) {
    const { code } = input as { code: string };
    const [, counter = '', label = ''] = /^# (\S+) (\S+)/.exec(code) ?? [];
    const work = async () => executePython.run(input, context);
    return counted({ counter, label, effect: 'sandbox' }, { context, work });
  },
};

function countedDelivery(kind: string, deliver: Delivery): Delivery {
  return async (input, deps) => {
    const started = JSON.parse(input.lines[0] ?? '{}') as Partial<RunStarted>;
    const counter = started.metadata?.counter ?? '';
    const event = { run: input.runId, label: kind };
    await report(counter, { ...event, kind: 'delivery_start' });
    await sleep(DELIVERY_MS);
    await deliver(input, deps);
    await report(counter, { ...event, kind: 'delivery_end' });
  };
}

const others = buildDefaultRegistry()
  .all()
  .filter((tool) => tool.name !== executePython.name);
const worker = createWorker({
  tools: createRegistry([...others, countedPython, ...countingTools]),
  deliveries: new Map(
    [...createDeliveries()].map(([kind, deliver]) => [kind, countedDelivery(kind, deliver)]),
  ),
});

// biome-ignore lint/style/noDefaultExport: workerd takes the handlers from here
export default {
  ...worker,
  fetch(request: Request, env: Record<string, unknown>) {
    if (new URL(request.url).pathname !== '/test/redis') return worker.fetch(request, env);
    const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env;
    return Response.json({ url, token });
  },
};
