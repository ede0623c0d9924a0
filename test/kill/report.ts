/** The words of the kill tests: one line a moment, the figures of all, the journal of a run that broke. */
import type { MomentReport } from './moment.ts';
import { describeMoment } from './phases.ts';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const spread = (values: number[]) =>
  values.length === 0
    ? 'none'
    : `median ${seconds(median(values))}, worst ${seconds(Math.max(...values))}`;

const openRuns = (report: MomentReport) =>
  report.runs.flatMap(({ finishedMs }) => (finishedMs === null ? [] : [finishedMs]));

export function describeReport(report: MomentReport): string {
  const { moment, healthMs, settledMs, faults } = report;
  const open = openRuns(report);
  const ends = open.map((ms) => (ms / 1000).toFixed(0)).join(', ');
  return [
    faults.length === 0 ? 'good' : 'BROKEN',
    `${describeMoment(moment)}:`,
    `answers after ${seconds(healthMs)},`,
    `${open.length} runs open, ended ${ends} s after,`,
    `all settled after ${seconds(settledMs)}`,
  ].join(' ');
}

export function summarize(
  reports: MomentReport[],
  { count, seconds: total }: { count: number; seconds: number },
): string {
  const hits = new Map<string, number>();
  for (const { moment, missed } of reports) {
    if (missed !== null) continue;
    const name = `${moment.phase}/${moment.victim}`;
    hits.set(name, (hits.get(name) ?? 0) + 1);
  }
  const of = (victim: string) => reports.filter(({ moment }) => moment.victim === victim);
  const health = (victim: string) => spread(of(victim).map(({ healthMs }) => healthMs));
  const resumed = reports.flatMap(({ runs }) =>
    runs.flatMap(({ resumedMs }) => (resumedMs === null ? [] : [resumedMs])),
  );
  const failed = reports.filter(({ faults }) => faults.length > 0).length;
  return [
    `hit: ${[...hits]
      .map(([name, times]) => `${name} ${times}`)
      .sort()
      .join(', ')}`,
    `workerd answers again: ${health('workerd')}; a new launcher: ${health('launcher')}`,
    `runs go on after the kill: ${spread(resumed)}; they end: ${spread(reports.flatMap(openRuns))}`,
    `${reports.length - failed} of ${count} moments good, ${failed} broken, in ${Math.round(total)} s`,
  ].join('\n');
}

/** The journals of a broken moment's runs, one line an entry, times from the first. */
export function describeEvidence({ evidence, faults }: MomentReport): string {
  const broken = evidence.filter(({ id }) => faults.some((fault) => fault.startsWith(id)));
  return broken
    .flatMap(({ id, lines, head }) => [
      `  ${id} (${JSON.stringify(head)})`,
      ...lines.map((line, index) => {
        const entry = JSON.parse(line) as Record<string, unknown> & { at: number; type: string };
        const after = ((entry.at - head.createdAt) / 1000).toFixed(2);
        const facts = [entry.name, entry.outcome, entry.tool_use_id, entry.reason, entry.message];
        const told = facts.filter((fact) => typeof fact === 'string').join(' ');
        return `    ${index + 1} +${after} s ${entry.type} ${told}`.trimEnd();
      }),
    ])
    .join('\n');
}
