import { type ChildProcess, spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { linkGuest } from '../../dev/sandbox/guest-link.ts';

/** A process that says it is ready, then runs `script`; `frame(header, body)` writes a frame. */
function speak(script: string): ChildProcess {
  const prelude = `
const frame = (header, body = '') => {
  const head = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(head.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  process.stdout.write(Buffer.concat([lengths, head, Buffer.from(body)]));
};
process.stdin.resume();
frame({ ready: true });`;
  return spawn(process.execPath, ['-e', `${prelude}\n${script}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

describe('linkGuest', () => {
  it('matches answers to requests, whatever their order', async () => {
    const guest = await linkGuest(
      speak(`setTimeout(() => {
  frame({ id: 2, answer: { n: 2 } }, 'two');
  frame({ id: 1, error: 'no', status: 404 });
}, 50);`),
    );
    const [one, two] = await Promise.allSettled([guest.request('a', {}), guest.request('b', {})]);
    expect(one).toMatchObject({ reason: { message: 'no', status: 404 } });
    expect(two).toMatchObject({ value: { answer: { n: 2 }, body: Buffer.from('two') } });
    await guest.kill();
  });

  it('ends a process whose output is no frame', async () => {
    const guest = await linkGuest(speak("process.stdout.write('garbage from sandboxed code');"));
    await guest.ended;
    await expect(guest.request('late', {})).rejects.toMatchObject({ status: 502 });
  });

  it('ends a process that goes on answering what was not asked', async () => {
    const guest = await linkGuest(
      speak('for (let id = 100; id < 1200; id++) frame({ id, answer: {} });'),
    );
    await guest.ended;
    await expect(guest.request('late', {})).rejects.toMatchObject({ status: 502 });
  });

  it('fails requests that wait when the process ends', async () => {
    const guest = await linkGuest(speak('setTimeout(() => process.exit(1), 50);'));
    await expect(guest.request('a', {})).rejects.toMatchObject({ status: 502 });
  });

  it('says what the process said when it does not start', async () => {
    const child = spawn(process.execPath, ['-e', 'console.error("no memory"); process.exit(1)']);
    await expect(linkGuest(child)).rejects.toThrow('The sandbox did not start: no memory');
  });
});
