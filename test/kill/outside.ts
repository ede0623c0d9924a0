/**
 * What can be known of a stack without asking it: a counter that its tools and deliveries report to
 * and a scripted model that it calls, both in the process of the test, so no kill reaches them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startMessagesServer } from '../helpers/messages-server.ts';
import { placeOf, type RunPlan, replyOf } from './plan.ts';

export interface OutsideEvent {
  kind: 'tool_start' | 'tool_end' | 'delivery_start' | 'delivery_end' | 'model_call';
  /** Unix milliseconds. */
  at: number;
  /** Run id; for a model call the key of the run's plan. */
  run: string;
  /** The planned call, the kind of delivery, or the turn. */
  label: string;
  effect?: 'pure' | 'keyed' | 'sandbox' | 'once';
  /** tool_use_id. */
  id?: string;
  /** Idempotency key. */
  key?: string;
  /** Messages of a model call, as sent. */
  messages?: unknown[];
}

export interface Outside {
  /** Where tools and deliveries report to. */
  counterUrl: string;
  modelUrl: string;
  /** Makes a run known to the model. */
  add(plan: RunPlan): void;
  events(): readonly OutsideEvent[];
  /** The next event that fits, from now on. */
  next(fits: (event: OutsideEvent) => boolean, signal: AbortSignal): Promise<OutsideEvent>;
  /** Requests that the model refused, as sentences. */
  problems(): string[];
  stop(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const events: OutsideEvent[] = [];
  const plans = new Map<string, RunPlan>();
  const listeners = new Set<(event: OutsideEvent) => void>();
  const note = (event: OutsideEvent) => {
    events.push(event);
    for (const listener of listeners) listener(event);
  };

  const counter = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const event = JSON.parse(Buffer.concat(chunks).toString('utf8')) as OutsideEvent;
      note({ ...event, at: Date.now() });
      response.writeHead(204).end();
    } catch {
      // A killed Worker leaves in the middle of a request: what it did not say did not happen.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => counter.listen(0, '127.0.0.1', resolve));
  const counterUrl = `http://127.0.0.1:${(counter.address() as AddressInfo).port}`;

  const model = await startMessagesServer((request, index) => {
    const place = placeOf(request);
    const plan = place && plans.get(place.key);
    if (!place || !plan) return { status: 500, body: { error: 'no plan for this question' } };
    const { messages } = request.body;
    note({ kind: 'model_call', at: Date.now(), run: place.key, label: `${place.turn}`, messages });
    return replyOf(plan, { turn: place.turn, index, counterUrl });
  });

  return {
    counterUrl,
    modelUrl: model.url,
    add: (plan) => plans.set(plan.key, plan),
    events: () => events,
    next: (fits, signal) =>
      new Promise((resolve, reject) => {
        const end = () => {
          listeners.delete(listener);
          signal.removeEventListener('abort', onAbort);
        };
        const listener = (event: OutsideEvent) => {
          if (!fits(event)) return;
          end();
          resolve(event);
        };
        const onAbort = () => {
          end();
          reject(new Error('the wanted moment did not come'));
        };
        signal.addEventListener('abort', onAbort, { once: true });
        listeners.add(listener);
      }),
    // A request that a kill cut in two is no fault of anybody's.
    problems: () => model.problems().filter((text) => !text.startsWith('the server failed')),
    async stop() {
      counter.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => counter.close(resolve)),
        model.stop({ expectProblems: true }),
      ]);
    },
  };
}
