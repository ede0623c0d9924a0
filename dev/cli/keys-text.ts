/** API keys as people and programs read them. A key itself is never among it. No I/O. */
import type { ApiKey } from '../../src/loop/key-store.ts';
import { columnsOf } from './text.ts';

/** Lines of a table, oldest key first. */
export function keyTable(keys: readonly ApiKey[]): string[] {
  const rows = keys.map((key) => [
    key.id,
    key.owner,
    key.name || '-',
    key.scopes.join(','),
    formatTime(key.createdAt),
    key.lastUsedAt === null ? 'never' : formatTime(key.lastUsedAt),
    key.revokedAt === null ? 'works' : `revoked ${formatTime(key.revokedAt)}`,
  ]);
  const table = [['ID', 'OWNER', 'NAME', 'SCOPES', 'CREATED (UTC)', 'LAST USED', 'STATE'], ...rows];
  const widths = (table[0] ?? []).map((_, i) =>
    Math.max(...table.map((row) => columnsOf(row[i] ?? ''))),
  );
  return table.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - columnsOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** For --json: times in ISO 8601, no digest. */
export function keyJson(key: ApiKey) {
  return {
    id: key.id,
    owner: key.owner,
    name: key.name,
    scopes: key.scopes,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTime(key.lastUsedAt),
    revoked_at: isoTime(key.revokedAt),
  };
}

const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** `2026-11-30 12:05`, UTC. */
const formatTime = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
