import { describe, expect, it } from 'vitest';
import { createLog, errorFields } from '../src/log.ts';

function written(secrets: string[], fields: Record<string, string | number | boolean | null>) {
  const lines: string[] = [];
  const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);
  createLog({ write: (line) => lines.push(line), now, secrets })('step', fields);
  return lines;
}

describe('createLog', () => {
  it('writes one JSON line an event, whatever the values hold', () => {
    expect(written([], { run: 'run_1', note: 'a\nb"', ms: 3, ok: true, none: null })).toEqual([
      '{"at":"2026-01-02T03:04:05.000Z","event":"step","run":"run_1","note":"a\\nb\\"","ms":3,"ok":true,"none":null}',
    ]);
  });

  it('cuts configured keys out of every value, however often they stand there', () => {
    const [line] = written(['sk-secret', 'to"ken\\1'], {
      reason: 'Bearer sk-secret refused: sk-secret',
      place: 'at to"ken\\1x',
    });
    expect(JSON.parse(line ?? '')).toMatchObject({
      reason: 'Bearer [redacted] refused: [redacted]',
      place: 'at [redacted]x',
    });
  });

  it('does not take a short setting for a secret that stands in every word', () => {
    expect(written(['a', ''], { reason: 'a bad day' })[0]).toContain('a bad day');
  });
});

describe('errorFields', () => {
  it('tells kind, short message and place of an error', () => {
    const fields = errorFields(new RangeError('x'.repeat(500)));
    expect(fields).toEqual({
      error: 'RangeError',
      reason: 'x'.repeat(200),
      place: expect.stringMatching(/^at .*log\.test\.ts/),
    });
  });

  it('tells only the type of anything else that was thrown', () => {
    expect(errorFields('secret')).toEqual({ error: 'string', reason: '', place: '' });
  });
});
