// `npm run bench:startup`: how large the Worker is, by package, what of it runs before the first
// request (`-- --modules` lists it), and how long its start is busy under workerd (median of five).

import { reportBundle } from './startup/bundle.ts';
import { checkStartup } from './startup/wrangler.ts';
import { formatTable, kib } from './table.ts';

const CHECKS = 5;

const bundle = await reportBundle();
console.log(`Worker bundle, not minified: ${kib(bundle.bytes)}, gzip ${kib(bundle.gzipBytes)}\n`);
console.log(
  formatTable(
    ['package', 'bundle', 'gzip alone', 'modules', 'at start', 'modules'],
    bundle.packages.map((part) => [
      part.name,
      kib(part.bytes),
      kib(part.gzipBytes),
      part.modules,
      part.eagerBytes === 0 ? '-' : kib(part.eagerBytes),
      part.eagerModules === 0 ? '-' : part.eagerModules,
    ]),
  ),
);
const own = bundle.eager.filter((path) => path.startsWith('src/'));
console.log(
  `\nBefore the first request ${bundle.eager.length} modules run, ${own.length} of them ours.`,
);
if (process.argv.includes('--modules')) console.log(bundle.eager.join('\n'));

const checks = [];
for (let i = 0; i < CHECKS; i += 1) checks.push(await checkStartup());
const active = checks.map(({ activeMs }) => activeMs).sort((a, b) => a - b);
console.log(
  `wrangler check startup: active ${active[Math.floor(CHECKS / 2)]} ms ` +
    `(median of ${active.join(', ')}), gzip ${checks[0]?.gzipKiB} KiB`,
);
