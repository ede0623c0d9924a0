/**
 * The Worker as one ES module, bundled by esbuild as wrangler would for workerd with
 * `nodejs_compat`: Node's built-ins stay outside (workerd has them), lazy imports are inlined.
 * In watch mode each later build is handed over, and a failed one is reported, never thrown.
 */
import { builtinModules } from 'node:module';
import { performance } from 'node:perf_hooks';
import {
  type BuildOptions,
  type BuildResult,
  build,
  context,
  formatMessages,
  type Plugin,
} from 'esbuild';

export interface WorkerBuild {
  code: string;
  stop(): Promise<void>;
}

export interface BuildRequest {
  /** Absolute path of the entry file. */
  entry: string;
  /** Given: sources are watched, and each later build ends in one of these. */
  watch?: { onBuilt(code: string, ms: number): void; onFailed(report: string): void };
}

/** Throws an Error with esbuild's own report when the first build fails. */
export async function buildWorker(request: BuildRequest): Promise<WorkerBuild> {
  if (!request.watch) {
    try {
      const result = await build(bundleOptions(request.entry, { plugins: [], maps: false }));
      return { code: toCode(result), stop: async () => {} };
    } catch (error) {
      throw new Error(await toReport(error));
    }
  }
  return watchWorker(request.entry, request.watch);
}

async function watchWorker(
  entry: string,
  watch: NonNullable<BuildRequest['watch']>,
): Promise<WorkerBuild> {
  let startedAt = performance.now();
  let first: ((result: BuildResult) => void) | null = null;
  const firstBuild = new Promise<BuildResult>((resolve) => {
    first = resolve;
  });
  const reporter: Plugin = {
    name: 'hand-over',
    setup(hooks) {
      hooks.onStart(() => {
        startedAt = performance.now();
      });
      hooks.onEnd(async (result) => {
        if (first) {
          first(result);
          first = null;
        } else if (result.errors.length > 0) {
          watch.onFailed(await toReport(result));
        } else {
          watch.onBuilt(toCode(result), performance.now() - startedAt);
        }
      });
    },
  };
  const watcher = await context(bundleOptions(entry, { plugins: [reporter], maps: true }));
  await watcher.watch();
  const result = await firstBuild;
  if (result.errors.length > 0) {
    await watcher.dispose();
    throw new Error(await toReport(result));
  }
  return { code: toCode(result), stop: () => watcher.dispose() };
}

/** How the Worker is bundled; the benches take the same. */
export function bundleOptions(
  entry: string,
  { plugins, maps }: { plugins: Plugin[]; maps: boolean },
): BuildOptions {
  return {
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    loader: { '.md': 'text', '.txt': 'text', '.html': 'text', '.css': 'text', '.sql': 'text' },
    legalComments: 'none',
    // A third smaller: Miniflare copies it over and over when it starts workerd, also after a crash.
    minifyWhitespace: !maps,
    // Stack traces then name our files, for who works on them; it doubles the time workerd takes
    // to start, so others go without. The sources themselves need not travel along.
    sourcemap: maps ? 'inline' : false,
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [nodeBuiltins(), ...plugins],
  };
}

/**
 * Imports of built-ins, with or without `node:`, stay imports. `require` of one from a CommonJS
 * package would become a run-time `require`, which workerd has not: it goes through a small module
 * that imports it.
 */
function nodeBuiltins(): Plugin {
  const names = new RegExp(
    `^(node:.+|${builtinModules.filter((one) => !one.startsWith('_')).join('|')})$`,
  );
  return {
    name: 'node-builtins',
    setup(hooks) {
      hooks.onResolve({ filter: names }, ({ path, kind }) => {
        const name = path.startsWith('node:') ? path : `node:${path}`;
        return kind === 'require-call'
          ? { path: name, namespace: 'required-builtin' }
          : { path: name, external: true };
      });
      hooks.onLoad({ filter: /.*/, namespace: 'required-builtin' }, ({ path }) => ({
        contents: `import builtin from '${path}'; module.exports = builtin;`,
        loader: 'js',
      }));
    },
  };
}

function toCode(result: BuildResult): string {
  const file = result.outputFiles?.[0];
  if (!file) throw new Error('esbuild wrote no file');
  return file.text;
}

async function toReport(error: unknown): Promise<string> {
  const errors = (error as Partial<BuildResult>).errors;
  if (!errors) return String(error);
  const messages = await formatMessages(errors, { kind: 'error', color: false });
  return messages.join('').trimEnd();
}
