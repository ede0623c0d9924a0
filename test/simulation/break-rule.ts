/**
 * Loaded before a simulation of a broken rule (`node --import`): replaces one passage of one source
 * file as it is read. The rule is in STRIDE_MUTANT, as for `npm run test:mutants`.
 */
import { registerHooks } from 'node:module';

const given = process.env.STRIDE_MUTANT;
if (given) {
  const { file, find, put } = JSON.parse(given) as { file: string; find: string; put: string };
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      const source =
        typeof loaded.source === 'string'
          ? loaded.source
          : Buffer.from(loaded.source as ArrayBuffer).toString();
      if (!source.includes(find)) throw new Error(`mutant no longer fits ${file}`);
      return { ...loaded, source: source.replace(find, () => put) };
    },
  });
}
