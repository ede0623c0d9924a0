/**
 * From a run request to what the store accepts: everything the deployment must judge (tool names,
 * maxima, files, the run that is followed) is judged here, before anything is stored.
 * Throws StrideError naming the field at fault.
 */

import { canonicalJson } from '../canonical-json.ts';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { IDEMPOTENCY_SECONDS } from '../limits.ts';
import type { StoredFile } from '../loop/file-store.ts';
import type { FileRef, RunLimits, RunOptions } from '../loop/journal.ts';
import type { AcceptRun } from '../loop/store.ts';
import { chooseDomain } from '../tools/domains/domain.ts';
import { normalisePath, parentFolders } from '../tools/paths.ts';
import { availableTools } from '../tools/registry.ts';
import { sha256Hex } from '../tools/workspace.ts';
import type { Principal } from './context.ts';
import { domainFault } from './domains.ts';
import { loadFollowed } from './follow-run.ts';
import { type FieldFault, invalidInput } from './input.ts';
import type { RunRequest } from './schemas.ts';

const DEFAULT_DRIVE = 'queue';

export interface Asking {
  deps: Deps;
  principal: Principal;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
}

export async function toAcceptRun(request: RunRequest, asking: Asking): Promise<AcceptRun> {
  const { deps, principal } = asking;
  const faults = [...toolFaults(request, deps), ...optionFaults(request, deps)];
  faults.push(...limitFaults(request.limits ?? {}, deps.config.runLimits));
  if (faults.length > 0) throw invalidInput(faults);

  const dedupe = await toDedupe(request, asking);
  const uploads = await loadFiles(request.file_ids ?? [], asking);
  const followed = request.follows ? await loadFollowed(request.follows, asking) : null;
  const limits: RunLimits = { ...deps.config.runLimits, ...request.limits };
  const outbox: Record<string, string> = { archive: '' };
  // Owed from the start, so that no crash between making a sandbox and noting it leaks one.
  if (deps.sandboxes) outbox.kill_sandbox = '';
  return {
    id: deps.randomId('run_'),
    owner: principal.owner,
    entry: {
      type: 'run_started',
      question: request.question,
      files: toFileRefs(uploads, followed?.files ?? []),
      options: toOptions(request, deps),
      limits,
      source: 'api',
      owner: principal.owner,
      ...(request.task_id ? { task_id: request.task_id } : {}),
      ...(followed ? { follows: request.follows, context: followed.context } : {}),
      ...(request.metadata ? { metadata: request.metadata } : {}),
    },
    drive: request.drive ?? DEFAULT_DRIVE,
    limitMicroUsd: Math.round(limits.usd * 1_000_000),
    dayLimitMicroUsd: Math.round(deps.config.dailyUsd * 1_000_000),
    maxActive: deps.config.maxActiveRuns,
    dedupe,
    outbox,
  };
}

/** Names by which this deployment knows its tools; an alias becomes the tool's own name. */
function toOptions(request: RunRequest, deps: Deps): RunOptions {
  return {
    ...(request.model ? { model: request.model } : {}),
    ...(request.tools ? { tools: ownNames(request.tools, deps) } : {}),
    ...(request.domain ? { domain: request.domain } : {}),
    ...(request.approvals ? { approvals: ownNames(request.approvals, deps) } : {}),
    ...(request.knowledge ? { knowledge: request.knowledge } : {}),
  };
}

function ownNames(names: readonly string[], deps: Deps): string[] {
  return [...new Set(names.map((name) => deps.tools.get(name)?.name ?? name))];
}

function toolFaults(request: RunRequest, deps: Deps): FieldFault[] {
  const domain = chooseDomain(deps.tools.domains, {
    asked: request.domain,
    tools: ownNames([...(request.tools ?? []), ...(request.approvals ?? [])], deps),
    question: request.question,
  });
  const sandbox = deps.sandboxes !== null;
  const { tools, leftOut } = availableTools(deps.tools, { sandbox, domain });
  const available = new Set(tools.map(({ name }) => name));
  const why = new Map(leftOut.map(({ name, reason }) => [name, reason]));
  return (['tools', 'approvals'] as const).flatMap((field) =>
    (request[field] ?? []).flatMap((given) => {
      const name = deps.tools.get(given)?.name ?? given;
      if (available.has(name)) return [];
      const reason = why.get(name);
      const home = deps.tools.domains.find((one) => one.tools.some((tool) => tool.name === name));
      const known = `available are ${[...available].join(', ')}`;
      const message = reason
        ? `"${name}" is left out of this deployment: ${reason}`
        : home
          ? `"${name}" belongs to the domain ${home.name}; send "domain": "${home.name}"`
          : `there is no tool "${given}"; ${known}`;
      return [{ field, message }];
    }),
  );
}

function optionFaults(request: RunRequest, deps: Deps): FieldFault[] {
  const faults: FieldFault[] = domainFault(request.domain, deps.tools);
  if (request.knowledge === 'on') {
    const message = 'this deployment has no knowledge index; leave the field out or send "off"';
    faults.push({ field: 'knowledge', message });
  }
  const ids = request.file_ids ?? [];
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) faults.push({ field: 'file_ids', message: `"${twice}" is named twice` });
  return faults;
}

/** The deployment's limits are the most a run may ask for. */
function limitFaults(asked: NonNullable<RunRequest['limits']>, maxima: RunLimits): FieldFault[] {
  const names = ['turns', 'tool_calls', 'tokens', 'usd', 'seconds'] as const;
  return names.flatMap((name) => {
    const value = asked[name];
    if (value === undefined || value <= maxima[name]) return [];
    const message = `must be at most ${maxima[name]} in this deployment`;
    return [{ field: `limits.${name}`, message }];
  });
}

async function toDedupe(request: RunRequest, asking: Asking): Promise<AcceptRun['dedupe']> {
  const { idempotencyKey: key, principal } = asking;
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) {
    const message = 'must be 1 to 255 printable ASCII characters';
    throw invalidInput([{ field: 'idempotency-key', message }]);
  }
  const bytes = new TextEncoder().encode(canonicalJson(request));
  return {
    key: `idem:${principal.owner}:${key}`,
    bodyHash: await sha256Hex(bytes),
    ttlSeconds: IDEMPOTENCY_SECONDS,
  };
}

/** The uploads of the request. Throws `not_found` for unknown ones and those of other owners. */
async function loadFiles(ids: string[], { deps, principal }: Asking): Promise<StoredFile[]> {
  const loaded = await Promise.all(ids.map((id) => deps.store.loadFile(id)));
  const faults: FieldFault[] = [];
  const files: StoredFile[] = [];
  for (const [i, file] of loaded.entries()) {
    if (file && file.owner === principal.owner) files.push(file);
    else faults.push({ field: `file_ids.${i}`, message: `there is no file "${ids[i]}"` });
  }
  if (faults.length === 0) return files;
  const { message, details } = invalidInput(faults);
  throw new StrideError('not_found', message, details);
}

/**
 * What the run sees: the files of the run it follows, then its own. A name that both have stays
 * with the upload; the earlier file is kept under a number.
 */
function toFileRefs(uploads: readonly StoredFile[], carried: readonly FileRef[]): FileRef[] {
  const own = uploads.map(({ name, object, bytes, mediaType }) => ({
    path: name,
    object,
    bytes,
    media_type: mediaType,
  }));
  const earlier = carried.filter(({ object }) => !own.some((file) => file.object === object));
  const all = [...own, ...earlier];
  const paths = uniquePaths(all.map(({ path }) => path));
  const files = all.map((file, i) => ({ ...file, path: paths[i] ?? file.path }));
  return [...files.slice(own.length), ...files.slice(0, own.length)];
}

/**
 * The paths under which a run sees its files: a name taken before becomes `report (2).csv`. A file
 * named like another one's folder is renamed too, since no disk could hold both.
 */
export function uniquePaths(names: readonly string[]): string[] {
  const folders = new Set(names.flatMap(parentFolders));
  const wanted = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let path = name;
    // A number that another upload bears by itself is left to it.
    for (let n = 2; taken.has(path) || folders.has(path) || (n > 2 && wanted.has(path)); n++) {
      path = numbered(name, n);
    }
    taken.add(path);
    return path;
  });
}

/** `report (2).csv`; the name is shortened where the number would make it too long for a path. */
function numbered(path: string, n: number): string {
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const end = dot > slash ? dot : path.length;
  const stem = [...path.slice(slash, end)];
  for (;;) {
    const candidate = `${path.slice(0, slash)}${stem.join('')} (${n})${path.slice(end)}`;
    if (normalisePath(candidate).ok || stem.length === 0) return candidate;
    stem.pop();
  }
}
