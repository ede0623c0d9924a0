import { defineConfig } from 'vitest/config';

// Two projects: `unit` runs in Node without starting anything it does not own; `stack` boots the
// real Worker under workerd with the stand-ins of dev/ (slower, one file at a time).
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/stack/**', 'test/live/**'], testTimeout: 20_000, hookTimeout: 30_000 } },
      { test: { name: 'stack', include: ['test/stack/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false } },
    ],
  },
});
