/** The head hash of a run, as it is read. Written by the scripts only (loop/scripts.ts). No I/O. */

export interface RunHead {
  id: string;
  owner: string;
  state: 'open' | 'finished' | 'deleted';
  /** Status of the `run_finished` entry, '' before it. */
  status: string;
  drive: 'queue' | 'client';
  epoch: number;
  nonce: string;
  /** Unix milliseconds; 0 when released. */
  leaseUntil: number;
  notBefore: number;
  attempts: number;
  idle: number;
  limitMicroUsd: number;
  spentMicroUsd: number;
  /** Names of the usage and active keys this run was booked on. */
  usageKey: string;
  activeKey: string;
  /** Short form of the question, for lists. */
  question: string;
  createdAt: number;
  endedAt: number | null;
  /** Deliveries that were given up, comma separated. */
  dead: string;
}

export function toHead(id: string, fields: ReadonlyMap<string, string>): RunHead {
  const text = (name: string) => fields.get(name) ?? '';
  const number = (name: string) => Number(fields.get(name) ?? 0);
  return {
    id,
    owner: text('owner'),
    state: text('state') as RunHead['state'],
    status: text('status'),
    drive: text('drive') as RunHead['drive'],
    epoch: number('epoch'),
    nonce: text('nonce'),
    leaseUntil: number('lease'),
    notBefore: number('not_before'),
    attempts: number('attempts'),
    idle: number('idle'),
    limitMicroUsd: number('limit'),
    spentMicroUsd: number('spent'),
    usageKey: text('usage'),
    activeKey: text('active'),
    question: text('question'),
    createdAt: number('created'),
    endedAt: fields.has('ended') ? number('ended') : null,
    dead: text('dead'),
  };
}
