/**
 * Everybody who touches runs from outside, all at once: people who ask, cancel, approve and delete;
 * the queue and its consumers; clients that drive their own runs; the cron; somebody who follows.
 */
import type { AcceptRun } from '../../src/loop/store.ts';
import { deleteRun } from '../../src/routes/delete-run.ts';
import { sendStep } from '../../src/routes/send-step.ts';
import { acceptanceOf } from './acceptance.ts';
import { createClients } from './clients.ts';
import { eventOf, mark } from './outside.ts';
import { startQueue } from './queue.ts';
import { createStage, isCode, MAX_TRIES, OWNER } from './stage.ts';
import { createVerdicts } from './verdicts.ts';
import type { World } from './world.ts';

/** How long after a tool started it may be cancelled. */
const MAX_CANCEL_MS = 60_000;

/** Sets everybody going. `onMinute` is told each virtual minute whether all of them are done. */
export function startActors(world: World, onMinute: (isQuiet: boolean) => void): void {
  const { scheduler, chance, faults, outside, ledger } = world;
  const stage = createStage(world);
  const { act, wait } = stage;
  const clients = createClients(world, stage);
  const approve = createVerdicts(world, stage);

  startQueue(world, { stage, onMinute: () => onMinute(stage.isQuiet()) });
  for (let i = 1; i <= chance.int('runs', [1, 3]); i += 1) {
    act(chance.number(`asks q${i}`) * 90_000, () => ask(`q${i}`));
  }
  if (faults.hit('deploy', 'the deployment')) {
    act(chance.number('deploys') * 180_000, async () => {
      world.deployment += 1;
      const open = [...ledger.runs.values()].some((run) => run.head.get('state') === 'open');
      if (open) mark(outside, 'a deployment in the middle of a run');
    });
  }
  world.onCarried = ({ name, id, args, answer }) => {
    if (name === 'append' && answer[0] === 'ok') {
      for (const line of args.slice(16, 16 + Number(args[13]))) notice(id, line);
    }
  };

  /** Asks until answered; without a key only once, because each request is a run of its own. */
  async function ask(event: string) {
    const answers = { ids: new Set<string>(), refused: false };
    outside.answers.set(event, answers);
    let isKnown = false;
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const run = acceptanceOf(world, { event, id: `run_${event}_000000000000_${tries}` });
      const ended = await world.spawn(`${event} accept`, {
        body: async (deps) => {
          const answer = await deps.store.accept(run);
          if (run.drive === 'queue' && 'id' in answer) await sendStep(answer.id, deps);
          return answer;
        },
      });
      if (ended.kind === 'done' && 'id' in ended.value) {
        const { id } = ended.value;
        if (ended.value.kind === 'conflict' && ledger.losses() === 0) {
          ledger.accuse('the_same_body_is_no_conflict', id);
        }
        answers.ids.add(id);
        if (!isKnown) follow(event, run, id);
        isKnown = true;
        if (run.dedupe && faults.hit('accept_other', event)) await askOther(event, run);
        if (!run.dedupe || !faults.hit('accept_again', `${event} ${tries}`)) return;
      } else if (ended.kind === 'done') {
        answers.refused = true;
        if (tries > 2) return;
        await wait(30_000);
      }
      if (!run.dedupe) return;
      await wait(chance.int(`again ${event} ${tries}`, [200, 20_000]));
    }
  }

  /** The same key with another question is refused, and changes nothing. */
  async function askOther(event: string, run: AcceptRun) {
    const dedupe = run.dedupe && { ...run.dedupe, bodyHash: 'another' };
    const ended = await world.spawn(`${event} accept other`, {
      body: (deps) => deps.store.accept({ ...run, id: `run_${event}_000000000000_x`, dedupe }),
    });
    if (ended.kind === 'done' && ended.value.kind !== 'conflict' && ledger.losses() === 0) {
      ledger.accuse('another_body_is_a_conflict', `${event}: ${ended.value.kind}`);
    }
  }

  /** What people do with a run they know. */
  function follow(event: string, run: AcceptRun, id: string) {
    const soon = (what: string) => chance.number(`${what} ${event}`) ** 2 * 120_000;
    if (faults.hit('cancel', event)) act(soon('cancel'), () => cancel(id));
    if (faults.hit('delete', event)) act(soon('delete'), () => remove(id));
    if (run.drive === 'client') act(10, () => clients.drive(id));
    if (faults.hit('client_restless', event)) act(soon('restless'), () => clients.beRestless(id));
    act(500, () => clients.view(id));
  }

  async function cancel(id: string) {
    const lease = Number(ledger.runs.get(id)?.head.get('lease') ?? 0);
    if (lease > scheduler.now()) mark(outside, 'a cancel met a working holder');
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const ended = await world.spawn(`${eventOf(id)} cancel`, {
        body: async (deps) => {
          const answer = await deps.store.requestCancel(id, { by: OWNER });
          if (answer === 'ok') await sendStep(id, deps);
          return answer;
        },
      });
      if (ended.kind === 'done') return;
      await wait(1_000);
    }
  }

  async function remove(id: string) {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const ended = await world.spawn(`${eventOf(id)} delete`, {
        body: (deps) => deleteRun(id, { deps, principal: { owner: OWNER, scopes: new Set() } }),
      });
      if (ended.kind === 'done') return;
      if (ended.kind === 'threw' && isCode(ended.error, 'not_found')) return;
      if (ended.kind === 'threw' && !isCode(ended.error, 'unavailable')) {
        ledger.accuse('a_deletion_never_throws', String(ended.error));
      }
      await wait(2_000);
    }
  }

  /** What somebody sees in the journal and acts on. */
  function notice(id: string, line: string) {
    if (line.includes('"by":"expiry"')) mark(outside, 'an approval expired');
    const callId = /"tool_use_id":"([^"]+)"/.exec(line)?.[1] ?? '';
    // Of calls that end as unknown the interesting ones are cancelled; the others should go on.
    const weight = line.includes('"effect":"once"') ? 4 : 0.5;
    const isStart = line.includes('"type":"tool_started"');
    if (isStart && faults.hit('cancel', `${callId} running`, weight)) {
      act(chance.number(`cancel ${callId}`) ** 2 * MAX_CANCEL_MS, () => cancel(id));
    }
    if (line.includes('"type":"approval_requested"') && !faults.hit('nobody_approves', callId)) {
      act(chance.number(`decides ${callId}`) ** 2 * 400_000, () => approve(id, callId));
    }
  }
}
