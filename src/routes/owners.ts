/**
 * Everything of an owner, deleted: runs, archived journals, what tools wrote, uploads. A call does
 * as much as one request may and says whether there is more; every call begins anew, so it is safe
 * to repeat. API keys and the day's account of money stay: closing the door and forgetting what was
 * spent are for whoever runs the deployment.
 */
import { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { StrideError } from '../errors.ts';
import { archiveKey } from '../loop/deliver.ts';
import { ADMIN } from './auth.ts';
import type { AppEnv } from './context.ts';
import { stopRuns } from './delete-run.ts';
import { sendStep } from './send-step.ts';

/** Runs deleted by one call, at three round trips each, and how many of them at once. */
const MAX_RUNS = 200;
const RUN_PAGE = 50;
/** Keys listed and deleted at once, and how often in one call. */
const OBJECT_PAGE = 1_000;
const MAX_OBJECT_PAGES = 20;
const FILE_PAGE = 100;
const MAX_FILE_PAGES = 5;
/** No new page after this; a client should not wait for much longer than this. */
const MAX_CALL_MS = 20_000;

export interface DeletedOwner {
  owner: string;
  /** What this call removed. */
  deleted: { runs: number; files: number; objects: number };
  /** True: call again. */
  more: boolean;
}

export function ownersRoutes() {
  return new Hono<AppEnv>().delete('/:id', ADMIN, async (c) => {
    const { deps, principal } = c.var;
    // A key acts for its own owner only, whatever its scopes.
    if (c.req.param('id') !== principal.owner) {
      const message = 'There is no such owner; a key can delete the data of its own owner only.';
      throw new StrideError('not_found', message);
    }
    return c.json(await deleteOwner(principal.owner, deps));
  });
}

async function deleteOwner(owner: string, deps: Deps): Promise<DeletedOwner> {
  const endsAt = deps.clock.now() + MAX_CALL_MS;
  const purge: Purge = { owner, deps, isOver: () => deps.clock.now() >= endsAt };
  const deleted = { runs: 0, files: 0, objects: 0 };
  // Runs first: no worker may still be writing objects when those are counted off.
  const runs = await deleteRuns(purge);
  deleted.runs = runs.count;
  if (runs.more) return { owner, deleted, more: true };
  const objects = await deletePages(purge, {
    prefix: `o/${owner}/`,
    page: OBJECT_PAGE,
    maxPages: MAX_OBJECT_PAGES,
    remove: (keys) => deps.objects.delete(keys),
  });
  deleted.objects = objects.count;
  const files = await deletePages(purge, {
    prefix: `u/${owner}/`,
    page: FILE_PAGE,
    maxPages: MAX_FILE_PAGES,
    async remove(keys) {
      // The records go first: bytes without a record are found again by the next call.
      await Promise.all(keys.map((key) => deps.store.deleteFile(lastPart(key))));
      await deps.objects.delete(keys);
    },
  });
  deleted.files = files.count;
  return { owner, deleted, more: objects.more || files.more };
}

interface Purge {
  owner: string;
  deps: Deps;
  isOver(): boolean;
}

interface Progress {
  count: number;
  more: boolean;
}

async function deleteRuns({ owner, deps, isOver }: Purge): Promise<Progress> {
  let count = 0;
  for (let tried = 0; ; ) {
    const { ids, kind } = await nextRuns(owner, deps);
    if (ids.length === 0) return { count, more: false };
    if (tried >= MAX_RUNS || (tried > 0 && isOver())) return { count, more: true };
    tried += ids.length;
    const removed = await removeRuns(ids, { owner, deps });
    // An archive without a head in Redis is a run all the same.
    count += kind === 'archived' ? ids.length : removed;
  }
}

/** Unfinished ones first, then those listed, then those of which only the archive is left. */
async function nextRuns(
  owner: string,
  deps: Deps,
): Promise<{ kind: 'live' | 'archived'; ids: string[] }> {
  const active = await deps.store.activeIds(owner);
  if (active.length > 0) return { kind: 'live', ids: active.slice(0, RUN_PAGE) };
  const { ids } = await deps.store.list(owner, { limit: RUN_PAGE });
  if (ids.length > 0) return { kind: 'live', ids };
  const archives = await deps.objects.list(archiveKey(owner, ''), RUN_PAGE);
  return { kind: 'archived', ids: archives.slice(0, RUN_PAGE).map(lastPart) };
}

/** How many of them Redis still had. */
async function removeRuns(
  ids: string[],
  { owner, deps }: { owner: string; deps: Deps },
): Promise<number> {
  const heads = (await deps.store.heads(ids)).filter((head) => head !== null);
  await stopRuns(heads, { deps, by: owner });
  const answers = await Promise.all(ids.map((id) => deps.store.remove(id, owner)));
  await deps.objects.delete(ids.map((id) => archiveKey(owner, id)));
  // Those that ran may have a sandbox to end; for the others the sweep is soon enough.
  const ran = heads.filter(({ state }) => state === 'open');
  await Promise.all(ran.map(({ id }) => sendStep(id, deps)));
  return answers.filter((answer) => answer === 'ok').length;
}

async function deletePages(
  { deps, isOver }: Purge,
  what: {
    prefix: string;
    page: number;
    maxPages: number;
    remove(keys: string[]): Promise<void>;
  },
): Promise<Progress> {
  let count = 0;
  for (let pages = 0; ; pages += 1) {
    const keys = (await deps.objects.list(what.prefix, what.page)).slice(0, what.page);
    if (keys.length === 0) return { count, more: false };
    if (pages >= what.maxPages || isOver()) return { count, more: true };
    await what.remove(keys);
    count += keys.length;
  }
}

const lastPart = (key: string) => key.slice(key.lastIndexOf('/') + 1);
