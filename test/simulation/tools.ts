/**
 * Tools of every effect, in two deployments, and the sandbox they may use. What they do is counted
 * outside; how they go wrong is drawn by the call, so that a poisonous call stays one.
 */
import { z } from 'zod';
import {
  defineTool,
  type PythonCall,
  type PythonOutcome,
  type Tool,
  type ToolContext,
} from '../../src/tools/define.ts';
import { executePython } from '../../src/tools/execute-python.ts';
import { createRegistry, type Registry } from '../../src/tools/registry.ts';
import type { Sandboxes } from '../../src/tools/sandbox.ts';
import { emptyOutcome } from '../../src/tools/sandbox-record.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Outside, ToolStart } from './outside.ts';
import type { Process, Scheduler } from './scheduler.ts';
import type { Transport } from './transport.ts';

const simple = (name: string, more: Partial<Parameters<typeof defineTool>[0]> = {}) =>
  defineTool({
    name,
    description: `${name} of the simulation.`,
    input: z.object({ item: z.string() }).loose(),
    run: () => Promise.reject(new Error('replaced in every process')),
    ...more,
  });

const FIRST: Tool[] = [
  simple('look'),
  simple('read_big', { untrusted: true }),
  simple('book', { effect: 'keyed' }),
  simple('send', { effect: 'once' }),
  simple('pay', { effect: 'once' }),
  simple('save', { lane: 'workspace' }),
  simple('long', { timeoutMs: 90_000 }),
  executePython,
];
/** The next deployment: two tools are gone, one is new. */
const SECOND: Tool[] = [
  ...FIRST.filter(({ name }) => !['look', 'book'].includes(name)),
  simple('peek'),
];

export const DEPLOYMENTS: readonly (readonly Tool[])[] = [FIRST, SECOND];
/** Waits for a person in every run. */
export const GUARDED_TOOL = 'pay';

interface Parts {
  scheduler: Scheduler;
  chance: Chance;
  faults: Faults;
  transport: Transport;
  outside: Outside;
  sinceStart: () => number;
}

export interface Toolbox {
  registry(process: Process, deployment: number): Registry;
  sandboxes(process: Process): Sandboxes;
}

const never = new Promise<never>(() => {});

export function createToolbox(parts: Parts): Toolbox {
  const { scheduler, chance, faults, transport, outside, sinceStart } = parts;
  let made = 0;
  const markers = new Set<string>();

  async function runTool(process: Process, tool: Tool, context: ToolContext) {
    if (!process.alive) return never;
    const { runId, toolUseId: callId, idempotencyKey: key } = context;
    const start: ToolStart = {
      run: runId,
      callId,
      tool: tool.name,
      effect: tool.effect,
      key,
      process: process.name,
      atMs: sinceStart(),
      ended: false,
    };
    outside.toolStarts.push(start);
    const where = `${tool.name}, ${callId}`;
    if (faults.hit('tool_poison', where)) {
      transport.kill(process, 'poison', 'during');
      return never;
    }
    if (faults.hit('tool_hangs', where)) return await hang(context, where);
    const slow = faults.hit('tool_slow', where) ? chance.int(`slow ${where}`, [2_000, 25_000]) : 0;
    const label = `tool ${tool.effect}`;
    process.doing.add(label);
    if (tool.effect !== 'pure' && faults.hit('crash', `${where} running`, 8)) {
      transport.kill(process, label, 'during');
    }
    await pass(process, 5 + chance.number(`ms ${where}`) * 400 + slow);
    process.doing.delete(label);
    if (faults.hit('tool_throws', where)) throw new Error('The service said no.');
    if (tool.name === 'save') {
      const bytes = new TextEncoder().encode(`${callId} was here`);
      await context.workspace.write('notes.txt', bytes, 'text/plain');
    } else {
      await transport.call(process, label, () => undefined);
    }
    start.ended = true;
    if (tool.name === 'read_big') return `${'long '.repeat(600)}${callId}`;
    return `${tool.name} of ${chance.pick(`result ${where}`, ['one', 'two', callId])}`;
  }

  const pass = (process: Process, ms: number) =>
    new Promise<void>((resolve) => scheduler.after(ms, process, resolve));

  /** Some hang and obey their signal, some are deaf. */
  function hang({ signal }: ToolContext, where: string): Promise<never> {
    if (chance.hit(`deaf ${where}`, 0.5)) return never;
    return new Promise((_, reject) => {
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /**
   * As the real one: marks the call and runs its code in one step, and whoever asks again waits for
   * the same end. Where an earlier worker may have begun it in a sandbox that is gone, nobody knows.
   */
  async function execute(
    process: Process,
    { sandboxId, lost }: { sandboxId: string; lost: boolean },
    { toolUseId: callId, signal, resumed }: PythonCall,
  ): Promise<PythonOutcome> {
    if (resumed && lost) return emptyOutcome('unknown', { notes: ['The sandbox was lost.'] });
    const sandbox = outside.sandboxes.get(sandboxId);
    await transport.call(process, 'sandbox execute', () => {
      if (!sandbox || sandbox.goneAt !== null) throw new Error('The sandbox is gone.');
      const marker = `${sandboxId} ${callId}`;
      if (markers.has(marker)) return;
      markers.add(marker);
      outside.codeRuns.set(callId, (outside.codeRuns.get(callId) ?? 0) + 1);
    });
    if (signal.aborted) return emptyOutcome('timeout');
    process.doing.add('sandbox execute');
    if (faults.hit('crash', `${callId} running`, 8)) {
      transport.kill(process, 'sandbox execute', 'during');
    }
    await pass(process, 50 + chance.number(`code ${callId}`) * 900);
    process.doing.delete('sandbox execute');
    return emptyOutcome('done', { output: '4\n', stdout: '4\n' });
  }

  function make(runId: string): string {
    made += 1;
    const id = `sbx_${made}`;
    outside.sandboxes.set(id, { run: runId, madeAt: scheduler.now(), goneAt: null });
    return id;
  }

  return {
    registry(process, deployment) {
      const tools = DEPLOYMENTS[deployment] ?? FIRST;
      return createRegistry(
        tools.map((tool) => ({
          ...tool,
          run: async (input, context) => {
            if (tool !== executePython) return await runTool(process, tool, context);
            const { runId: run, toolUseId: callId, idempotencyKey: key } = context;
            const start: ToolStart = {
              run,
              callId,
              tool: tool.name,
              effect: tool.effect,
              key,
              process: process.name,
              atMs: sinceStart(),
              ended: false,
            };
            outside.toolStarts.push(start);
            const output = await tool.run(input, context);
            start.ended = true;
            return output;
          },
        })),
      );
    },
    sandboxes: (process) => ({
      async obtain({ runId, knownSandboxId }) {
        const where = transport.place(process, `sandbox of ${runId}`);
        const sandboxId = await transport.call(process, 'sandbox obtain', () => {
          const known = knownSandboxId ? outside.sandboxes.get(knownSandboxId) : undefined;
          if (known && faults.hit('sandbox_dies', where)) known.goneAt ??= scheduler.now();
          return knownSandboxId && known?.goneAt === null ? knownSandboxId : make(runId);
        });
        const lost = knownSandboxId !== null && sandboxId !== knownSandboxId;
        return {
          sandboxId,
          lost,
          port: { execute: (call) => execute(process, { sandboxId, lost }, call) },
        };
      },
      killRun: (runId) =>
        transport.call(process, 'sandbox kill', () => {
          let killed = 0;
          for (const sandbox of outside.sandboxes.values()) {
            if (sandbox.run !== runId || sandbox.goneAt !== null) continue;
            sandbox.goneAt = scheduler.now();
            killed += 1;
          }
          outside.killedAt.set(runId, scheduler.now());
          return killed;
        }),
    }),
  };
}
