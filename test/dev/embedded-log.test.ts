// The write log of the embedded engine: what comes back after which damage, and who may write it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../dev/redis/embedded/engine.ts';
import { decodeLog, encodeRecord, HEADER } from '../../dev/redis/embedded/log-format.ts';
import type { Engine } from '../../dev/redis/engine.ts';
import { makeDataDir, removeDataDirs } from './redis-support.ts';

const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
  await removeDataDirs();
});

async function start(dataDir: string, options: { compactAboveBytes?: number } = {}) {
  const log: string[] = [];
  const engine = await createEmbeddedEngine({ dataDir, log: (line) => log.push(line), ...options });
  open.push(engine);
  const call = (...words: (string | number)[]) =>
    engine.call(words.map((word) => Buffer.from(String(word))));
  return { engine, call, log };
}
const fileOf = (dataDir: string) => join(dataDir, 'embedded.log');

describe('decodeLog', () => {
  const records = [
    [['SET', 'a', '1']],
    [
      ['RPUSH', 'l', '\xff\x00\r\n*1'],
      ['DEL', ''],
    ],
    [['HSET', 'h', 'f', 'v'.repeat(300)]],
  ];
  const file = Buffer.concat([HEADER, ...records.map(encodeRecord)]);
  const last = encodeRecord(records[2] ?? []).length;

  it('reads what was written', () => {
    expect(decodeLog(file)).toEqual({ records, wholeBytes: file.length });
  });

  it('leaves out the last record, wherever it was cut off', () => {
    for (let cut = 1; cut < last; cut += 1) {
      const { records: found, wholeBytes } = decodeLog(file.subarray(0, file.length - cut));
      expect(found).toEqual(records.slice(0, 2));
      expect(wholeBytes).toBe(file.length - last);
    }
  });

  it('leaves out a last record with wrong bytes in it', () => {
    for (const at of [file.length - 1, file.length - last, file.length - last + 12]) {
      const spoilt = Buffer.from(file);
      spoilt[at] = 0;
      expect(decodeLog(spoilt).records).toEqual(records.slice(0, 2));
    }
  });

  it('refuses a log with a hole in it, and a file of another kind', () => {
    for (const at of [HEADER.length, HEADER.length + 20]) {
      const spoilt = Buffer.from(file);
      spoilt[at] = 0;
      expect(() => decodeLog(spoilt)).toThrow(`the record at byte ${HEADER.length} is damaged`);
    }
    expect(() => decodeLog(Buffer.from('something else'))).toThrow('does not begin like');
  });
});

describe('createEmbeddedEngine', () => {
  it('has everything back after a restart, binary values and expiry included', async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    const bytes = Buffer.from([0, 255, 13, 10]);
    await first.engine.call([Buffer.from('SET'), bytes, bytes]);
    await first.call('HSET', 'h', 'a', 1);
    await first.call('EXPIRE', 'h', 1_000);
    await first.engine.close();
    const second = await start(dataDir);
    expect(await second.engine.call([Buffer.from('GET'), bytes])).toEqual(bytes);
    expect(await second.call('TTL', 'h')).toBeGreaterThan(990);
    expect(second.log).toEqual([]);
  });

  it('drops a record that was cut off, says so once, and goes on behind it', async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    await first.call('RPUSH', 'l', 'one');
    await first.call('RPUSH', 'l', 'two');
    await first.engine.close();
    truncateSync(fileOf(dataDir), statSync(fileOf(dataDir)).size - 3);
    const second = await start(dataDir);
    expect(second.log).toEqual([expect.stringMatching(/^The last write to .* was cut off \(\d+ /)]);
    await second.call('RPUSH', 'l', 'three');
    await second.engine.close();
    const third = await start(dataDir);
    const list = (await third.call('LRANGE', 'l', 0, -1)) as Buffer[];
    expect(list.map(String)).toEqual(['one', 'three']);
    expect(third.log).toEqual([]);
  });

  it('does not start over a damaged log, and says what to do', async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    for (let i = 0; i < 3; i += 1) await first.call('RPUSH', 'l', i);
    await first.engine.close();
    const bytes = readFileSync(fileOf(dataDir));
    bytes[HEADER.length + 20] = 0;
    writeFileSync(fileOf(dataDir), bytes);
    await expect(start(dataDir)).rejects.toThrow(/is damaged\. Move it away to start empty/);
    expect(existsSync(join(dataDir, 'embedded.pid'))).toBe(false);
  });

  it('writes the log anew when it has grown, and loses nothing by it', async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir, { compactAboveBytes: 4_096 });
    const sizes: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      await first.call('SET', 'k', `${i}:${'x'.repeat(200)}`);
      await first.call('INCR', 'n');
      sizes.push(statSync(fileOf(dataDir)).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(5_000);
    await first.engine.close();
    const second = await start(dataDir);
    expect(String(await second.call('GET', 'n'))).toBe('60');
    expect(String(await second.call('GET', 'k'))).toMatch(/^59:x/);
  });

  it('does not mind what is left of a log that was being written anew', async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    await first.call('SET', 'k', 'v');
    await first.engine.close();
    writeFileSync(`${fileOf(dataDir)}.new`, 'half');
    const second = await start(dataDir);
    expect(String(await second.call('GET', 'k'))).toBe('v');
    expect(existsSync(`${fileOf(dataDir)}.new`)).toBe(false);
  });

  it('answers a read only when the write it shows is in the file', async () => {
    const dataDir = await makeDataDir();
    const { call } = await start(dataDir);
    void call('SET', 'k', 'seen');
    expect(String(await call('GET', 'k'))).toBe('seen');
    expect(readFileSync(fileOf(dataDir), 'utf8')).toContain('seen');
  });

  it('fails every call once the log cannot be written', async () => {
    const dataDir = await makeDataDir();
    const { call, log } = await start(dataDir, { compactAboveBytes: 500 });
    await call('SET', 'k', 'v');
    await removeDataDirs();
    await expect(call('SET', 'k', 'x'.repeat(600))).rejects.toThrow(/cannot be written \(ENOENT\)/);
    await expect(call('GET', 'k')).rejects.toThrow(/make room or give access, then start again/);
    expect(log).toHaveLength(1);
  });
});

describe('one process a folder', () => {
  it('refuses a folder in use, also by this process', async () => {
    const dataDir = await makeDataDir();
    const { call } = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
    expect(String(await call('PING'))).toBe('PONG');
  });

  it('takes the folder of a process that is gone over', async () => {
    const dataDir = await makeDataDir();
    const child = spawn('true');
    await once(child, 'exit');
    writeFileSync(join(dataDir, 'embedded.pid'), JSON.stringify({ pid: child.pid, born: '1' }));
    const { call } = await start(dataDir);
    expect(String(await call('PING'))).toBe('PONG');
  });

  it('takes over a file that was cut off, and gives the folder free at the end', async () => {
    const dataDir = await makeDataDir();
    writeFileSync(join(dataDir, 'embedded.pid'), '{"pid":');
    const { engine } = await start(dataDir);
    await engine.close();
    expect(existsSync(join(dataDir, 'embedded.pid'))).toBe(false);
  });
});
