/**
 * Code interpreter: contexts, each with a Python of its own (worker.ts) that starts on first use.
 * Executions of one context run in order. What a thread says is not trusted to be well formed; it
 * can reach nothing but the answer to the execution that runs in it.
 */
import { Failure, type Fields, HOME, inside } from './file-api.ts';
import { CHANNEL_BYTES, createFileCalls } from './file-calls.ts';
import type { Files } from './files.ts';
import { type Begin, REASON_NUMBERS, type Run, type Said } from './worker.ts';

const FOLDERS = ['/home', '/tmp'];
const MAX_CONTEXTS = 4;
const WATCH_MS = 100;
const SIGNAL_EVERY_MS = 300;
const SIGUSR2 = 12;

export type Material = Pick<Begin, 'parts' | 'prelude' | 'snapshot'>;
/** Sends an event, or the end, of the request with this id. */
export type Emit = (id: number, said: { event?: Fields; end?: true }) => void;

interface Job extends Run {
  id: number;
}

interface Watch {
  deadline: number;
  cancelPath: string;
  nextSignal: number;
}

/** Starts a thread and hands it the first message. */
export function startThread(material: Material, shared: Pick<Begin, 'channel' | 'interrupts'>) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  const begin: Begin = { ...material, ...shared, folders: FOLDERS, port: port2 };
  worker.postMessage(begin, [port2]);
  return { worker, port: port1 };
}

function createKernel(options: { material: Material; files: Files; emit: Emit; gone: () => void }) {
  const { files, emit } = options;
  const channel = new SharedArrayBuffer(CHANNEL_BYTES);
  const interrupts = new SharedArrayBuffer(8);
  const signal = new Uint8Array(interrupts, 0, 1);
  const reason = new Int32Array(interrupts, 4, 1);
  const calls = createFileCalls(files, channel);
  const { worker, port } = startThread(options.material, { channel, interrupts });
  const queue: Job[] = [];
  let job: Job | null = null;
  let isReady = false;
  let watch: Watch | null = null;
  let count = 0;
  let over = false;
  let answerReady: (version: string) => void = () => {};
  let failReady: (error: Error) => void = () => {};
  const ready = new Promise<string>((resolve, reject) => {
    answerReady = resolve;
    failReady = reject;
  });
  ready.catch(() => {});

  const timer = setInterval(() => {
    if (watch === null) return;
    const now = Date.now();
    if (Atomics.load(reason, 0) === 0) {
      if (isThere(files, watch.cancelPath)) Atomics.store(reason, 0, REASON_NUMBERS.cancelled);
      else if (now >= watch.deadline) Atomics.store(reason, 0, REASON_NUMBERS.timeout);
    }
    // Again and again: a bare except in the code may have swallowed the last one.
    if (Atomics.load(reason, 0) !== 0 && now >= watch.nextSignal) {
      watch.nextSignal = now + SIGNAL_EVERY_MS;
      Atomics.store(signal, 0, SIGUSR2);
    }
  }, WATCH_MS);

  const next = () => {
    if (!isReady || job !== null) return;
    job = queue.shift() ?? null;
    if (job !== null) port.postMessage({ code: job.code, cwd: job.cwd } satisfies Run);
  };

  const finish = (events: Fields[]) => {
    watch = null;
    const ended = job;
    job = null;
    count++;
    if (ended !== null) {
      const number = { type: 'number_of_executions', execution_count: count };
      for (const event of [...events, number]) emit(ended.id, { event });
      emit(ended.id, { end: true });
    }
    next();
  };

  /** Ends the thread; executions that wait or run get an error. */
  const end = (name: string, value: string) => {
    if (over) return;
    over = true;
    clearInterval(timer);
    worker.terminate();
    port.close();
    calls.closeAll();
    failReady(new Error(value));
    for (const one of job === null ? queue : [job, ...queue]) {
      emit(one.id, { event: { type: 'error', name, value, traceback: '' } });
      emit(one.id, { end: true });
    }
    options.gone();
  };

  port.onmessage = ({ data: said }: MessageEvent<Said>) => {
    if (over) return;
    switch (said.kind) {
      case 'file':
        return calls.answer(said.call);
      case 'ready':
        isReady = true;
        answerReady(said.version);
        return next();
      case 'output':
        if (job !== null) emit(job.id, { event: { type: said.name, text: said.text } });
        return;
      case 'watch':
        watch = {
          deadline: Date.now() + said.ms,
          cancelPath: inside(said.cancelPath),
          nextSignal: 0,
        };
        return;
      case 'unwatch':
        watch = null;
        return;
      case 'end':
        return finish(said.events);
      case 'died':
        return end('ContextRestarting', 'Context was restarted');
      case 'snapshot':
        return;
    }
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end('ContextRestarting', 'Context was restarted');
  };

  return {
    ready,
    end,
    execute(one: Job) {
      queue.push(one);
      next();
    },
    /** The client of an execution is gone. */
    cancel(id: number) {
      const at = queue.findIndex((one) => one.id === id);
      if (at >= 0) queue.splice(at, 1);
      if (job?.id === id) end('ContextRestarting', 'Context was restarted');
    },
  };
}

type Kernel = ReturnType<typeof createKernel>;

export function createContexts(options: { material: Material; files: Files; emit: Emit }) {
  const contexts = new Map<string, { cwd: string; kernel: Kernel | null }>();

  const find = (id: unknown) => {
    const context = contexts.get(String(id));
    if (context === undefined) throw new Failure(404, `Context ${String(id)} not found`);
    return context;
  };
  const kernelOf = (context: { kernel: Kernel | null }): Kernel => {
    if (context.kernel !== null) return context.kernel;
    const kernel = createKernel({
      ...options,
      gone: () => {
        if (context.kernel === kernel) context.kernel = null;
      },
    });
    context.kernel = kernel;
    return kernel;
  };

  return {
    /** The context that calls without one use, started at once. Resolves to Python's version. */
    begin(): Promise<string> {
      const context = { cwd: HOME, kernel: null };
      contexts.set('default', context);
      return kernelOf(context).ready;
    },
    execute(id: number, fields: Fields) {
      const context = find(fields.context ?? 'default');
      options.emit(id, { event: { type: 'accepted' } });
      kernelOf(context).execute({ id, code: String(fields.code ?? ''), cwd: context.cwd });
    },
    restart(fields: Fields) {
      const context = find(fields.context);
      const value = 'Connection to the execution was closed before the execution was finished';
      context.kernel?.end('UnexpectedEndOfExecution', value);
      // Its successor is needed in a moment: the record of the call that was cut off.
      kernelOf(context);
      return {};
    },
    create(fields: Fields) {
      if (contexts.size >= MAX_CONTEXTS) {
        throw new Failure(400, `At most ${MAX_CONTEXTS} contexts are kept in one sandbox`);
      }
      const cwd = inside(fields.cwd ?? HOME);
      options.files.ensureFolder(cwd);
      contexts.set(String(fields.context), { cwd, kernel: null });
      return {};
    },
    remove(fields: Fields) {
      const { kernel } = find(fields.context);
      contexts.delete(String(fields.context));
      kernel?.end('UnexpectedEndOfExecution', 'The context was removed');
      return {};
    },
    list: () => ({
      contexts: [...contexts].map(([id, { cwd }]) => ({ id, language: 'python', cwd })),
    }),
    cancel(fields: Fields) {
      for (const { kernel } of contexts.values()) kernel?.cancel(Number(fields.job));
      return {};
    },
  };
}

function isThere(files: Files, path: string): boolean {
  try {
    return files.walk(path, { follow: false }).node !== null;
  } catch {
    return false;
  }
}
