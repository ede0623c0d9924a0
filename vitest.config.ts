import { defineConfig, type Plugin } from 'vitest/config';

/** `npm run test:mutants` breaks one rule at a time in memory; see test/mutants/. */
function breakOneRule(): Plugin {
  const given = process.env.STRIDE_MUTANT;
  const mutant = given ? (JSON.parse(given) as { file: string; find: string; put: string }) : null;
  return {
    // Vitest caches modules by the names of its plugins: a broken one must not stay behind.
    name: `break-one-rule ${given ?? ''}`,
    enforce: 'pre',
    transform(code, id) {
      if (!mutant || !id.endsWith(mutant.file)) return null;
      if (!code.includes(mutant.find)) throw new Error(`mutant no longer fits ${mutant.file}`);
      return code.replace(mutant.find, () => mutant.put);
    },
  };
}

// Two projects: `unit` runs in Node and starts at most Redis or a sandbox of its own; `stack` boots
// the real Worker under workerd with the stand-ins of dev/ (slower, one file at a time).
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [breakOneRule()],
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/stack/**', 'test/live/**'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'stack',
          include: ['test/stack/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
