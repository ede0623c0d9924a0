import { beforeAll, describe, expect, it } from 'vitest';
import { type BundleReport, reportBundle } from '../../bench/startup/bundle.ts';

/** Workers Paid allows 10 MB; ours stays small enough for the free plan's 3 MB. */
const MAX_GZIP_BYTES = 3_000_000;
/** All that a Worker needs to answer any request. Everything else is imported when it is used. */
const AT_START = ['@upstash/redis', 'hono', 'src', 'uncrypto', 'zod'];
const LATE = ['@anthropic-ai/sdk', '@e2b/code-interpreter', 'decimal.js', 'e2b', 're2js'];

let report: BundleReport;

describe('the Worker’s bundle', () => {
  beforeAll(async () => {
    report = await reportBundle();
  });

  it('is under 3 MB compressed', () => {
    expect(report.gzipBytes).toBeGreaterThan(100_000);
    expect(report.gzipBytes).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('runs no other package before the first request', () => {
    const atStart = report.packages.filter(({ eagerBytes }) => eagerBytes > 0);
    expect(atStart.map(({ name }) => name).sort()).toEqual(AT_START);
  });

  it('holds the large packages, for first use', () => {
    const late = report.packages.filter(({ eagerBytes, bytes }) => eagerBytes === 0 && bytes > 0);
    expect(late.map(({ name }) => name)).toEqual(expect.arrayContaining(LATE));
  });

  it('holds the decimals without the library that was once around them', () => {
    expect(report.packages.map(({ name }) => name)).not.toContain('mathjs');
  });

  it('runs the loop and the routes at the start, the model’s client and the decimals late', () => {
    expect(report.eager).toEqual(
      expect.arrayContaining(['src/app.ts', 'src/loop/fold.ts', 'src/tools/calc.ts']),
    );
    expect(report.eager).not.toContain('src/model/client.ts');
    expect(report.eager).not.toContain('src/tools/calc-evaluate.ts');
  });
});
