// The Worker's bundle taken apart: bytes by package, and which modules run before the first
// request. A module runs at the start when static imports lead to it from the entry; what only
// `import()` reaches is wrapped by esbuild and runs on first use.

import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { bundleOptions } from '../../dev/stack/build.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ENTRY = 'src/index.ts';

export interface PackagePart {
  /** Name on npm, or `src`. */
  name: string;
  bytes: number;
  /** Of the package's text compressed alone; the parts do not add up to the whole. */
  gzipBytes: number;
  modules: number;
  /** What of it runs before the first request. */
  eagerBytes: number;
  eagerModules: number;
}

export interface BundleReport {
  bytes: number;
  gzipBytes: number;
  /** Largest first. */
  packages: PackagePart[];
  /** Paths of the modules that run before the first request. */
  eager: string[];
}

/** Bundles the Worker as it is deployed (not minified), without writing anything. */
export async function reportBundle(): Promise<BundleReport> {
  const options = bundleOptions(resolve(ROOT, ENTRY), { plugins: [], maps: false });
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
  });
  const code = outputFiles[0]?.text ?? '';
  const inOutput = Object.values(metafile.outputs)[0]?.inputs ?? {};
  const reached = reachedAtStart(metafile);
  const texts = textByPackage(code);
  const parts = new Map<string, PackagePart>();
  const eager: string[] = [];
  for (const [path, { bytesInOutput: bytes }] of Object.entries(inOutput)) {
    if (bytes === 0) continue;
    const name = packageOf(path);
    const part = parts.get(name) ?? {
      name,
      bytes: 0,
      gzipBytes: gzipSync(texts.get(name) ?? '').length,
      modules: 0,
      eagerBytes: 0,
      eagerModules: 0,
    };
    part.bytes += bytes;
    part.modules += 1;
    if (reached.has(path)) {
      part.eagerBytes += bytes;
      part.eagerModules += 1;
      eager.push(path);
    }
    parts.set(name, part);
  }
  return {
    bytes: Buffer.byteLength(code),
    gzipBytes: gzipSync(code).length,
    packages: [...parts.values()].sort((a, b) => b.bytes - a.bytes),
    eager: eager.sort(),
  };
}

function reachedAtStart({ inputs }: Metafile): Set<string> {
  const reached = new Set<string>();
  const queue = [ENTRY];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (!external && kind !== 'dynamic-import') queue.push(next);
    }
  }
  return reached;
}

function packageOf(path: string): string {
  const inPackage = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return inPackage ?? path.split('/')[0] ?? path;
}

/** esbuild names each module in a comment line before its text. */
function textByPackage(code: string): Map<string, string> {
  const texts = new Map<string, string>();
  let name = 'esbuild';
  for (const line of code.split('\n')) {
    const path = /^\/\/ ((?:node_modules|src)\/\S+)$/.exec(line)?.[1];
    if (path) name = packageOf(path);
    texts.set(name, `${texts.get(name) ?? ''}${line}\n`);
  }
  return texts;
}
