/**
 * Runs in a Deno process started as sandboxes are, but with all of Deno's own API at hand: tries
 * what sandboxed code must not be able to do. Prints name → what came of it, as JSON.
 */
declare const Deno: {
  args: string[];
  readTextFile(path: string): Promise<string>;
  readDir(path: string): AsyncIterable<{ name: string }>;
  writeTextFile(path: string, text: string): Promise<void>;
  symlink(from: string, to: string): Promise<void>;
  env: { toObject(): object; get(name: string): unknown };
  Command: new (name: string) => { output(): Promise<{ success: boolean }> };
  connect(to: { hostname: string; port: number }): Promise<unknown>;
  listen(at: { port: number }): unknown;
  resolveDns(name: string, type: string): Promise<unknown>;
  dlopen(path: string, symbols: object): unknown;
  hostname(): string;
  kill(pid: number, signal: string): void;
  ppid: number;
  permissions: { request(what: object): Promise<{ state: string }> };
};

const [url = '', target = '', source = ''] = Deno.args;
const { port } = new URL(url);
const ATTEMPTS: Record<string, () => unknown> = {
  'read a file': () => Deno.readTextFile('/etc/passwd'),
  'read a file of the project': () => Deno.readTextFile(source),
  'read a file by steps up': () =>
    Deno.readTextFile(source.replace(/src\/.*/, 'node_modules/pyodide/../../package.json')),
  'read /proc': () => Deno.readTextFile('/proc/self/environ'),
  'list a folder': async () => {
    for await (const { name } of Deno.readDir('/')) return name;
  },
  'write a file': () => Deno.writeTextFile(target, 'x'),
  'make a link': () => Deno.symlink('/etc/passwd', `${target}-link`),
  'read the environment': () => Object.keys(Deno.env.toObject()).length,
  'read a variable': () => Deno.env.get('HOME'),
  'run a command': () => new Deno.Command('/bin/true').output(),
  'open a connection': () => Deno.connect({ hostname: '127.0.0.1', port: Number(port) }),
  listen: () => Deno.listen({ port: 0 }),
  'ask a name server': () => Deno.resolveDns('example.com', 'A'),
  fetch: async () => (await fetch(url)).status,
  'fetch a file': async () => (await fetch('file:///etc/passwd')).text(),
  'open a web socket': () => new WebSocket(`ws://127.0.0.1:${port}/`).url,
  'load a library': () => Deno.dlopen('/lib/x86_64-linux-gnu/libc.so.6', {}),
  'ask for the host name': () => Deno.hostname(),
  'end the parent': () => Deno.kill(Deno.ppid, 'SIGCONT'),
  'import a module of the project': () => import(`file://${source}`),
  'import it from a data URL': () =>
    import(`data:text/javascript,export * from ${JSON.stringify(`file://${source}`)}`),
  'import from the network': () => import(`${url}x.js`),
  'import a package': () => import(`npm:${'zod'}`),
  'start a thread from a file': () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(`file://${source}`, { type: 'module' });
      setTimeout(resolve, 1_000, 'it runs');
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
    }),
  'read with node:fs': async () => (await import('node:fs')).readFileSync('/etc/passwd', 'utf8'),
  'run with node:child_process': async () =>
    (await import('node:child_process')).execFileSync('/bin/true'),
  'read with node:process': async () =>
    Object.keys((await import('node:process')).env).length || 'empty',
  'be granted a permission': async () => {
    const { state } = await Deno.permissions.request({ name: 'read' });
    if (state !== 'granted') throw new Error(state);
  },
};

/** A module, by its own `import()`s alone, is none to TypeScript. */
export const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  try {
    outcomes[name] = `done: ${String(await attempt()).slice(0, 60)}`;
  } catch (error) {
    outcomes[name] = `refused: ${String(error)}`;
  }
}
console.log(JSON.stringify(outcomes));
