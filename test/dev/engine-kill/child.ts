/**
 * The process that is killed: the embedded engine behind its front, with a log that is written anew
 * every few writes. Says on stdout, line by line, what it logs and then where it answers.
 */
import { createEmbeddedEngine } from '../../../dev/redis/embedded/engine.ts';
import { startFront } from '../../../dev/redis/front.ts';

const [dataDir = '', token = ''] = process.argv.slice(2);
const say = (message: { log: string } | { url: string }) => console.log(JSON.stringify(message));
const engine = await createEmbeddedEngine({
  dataDir,
  log: (line) => say({ log: line }),
  compactAboveBytes: 96 * 1024,
});
const front = await startFront({ engine, token });
say({ url: front.url });
