/**
 * One sandbox under bubblewrap: the program of guest/ started in it, and its outgoing connections
 * handed to egress.ts.
 */
import { readFileSync } from 'node:fs';
import { processLimit, SANDBOX_LIMITS, startSandboxed } from './bubblewrap.ts';
import { createEgress, type EgressRules } from './egress.ts';
import { type Guest, linkGuest, writeFrame } from './guest-link.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const GUEST_PARTS = ['1_base', '2_processes', '3_kernels', '4_commands', '5_files', '6_frames'];
const GUEST = GUEST_PARTS.map((name) => read(`./guest/${name}.py`)).join('\n');
const KERNEL = `${read('./guest/kernel.py')}\nmain(int(sys.argv[1]), int(sys.argv[2]))\n`;

/** Starts a sandbox and waits until it answers. */
export async function startGuest(options: {
  rules: EgressRules;
  commandEnv: Record<string, string>;
}): Promise<Guest> {
  const settings = {
    kernel: KERNEL,
    command_env: options.commandEnv,
    memory_bytes: SANDBOX_LIMITS.memoryBytes,
    processes: processLimit(),
  };
  const child = startSandboxed(GUEST, [JSON.stringify(settings)]);
  const egress = createEgress(options.rules, (connection, state, data) =>
    writeFrame(child, { connection, state }, data),
  );
  return linkGuest(child, {
    onFrame(header, body) {
      if (header.connection === undefined || !header.state) return false;
      egress.handle(header.connection, header.state, body);
      return true;
    },
    onEnd: () => egress.close(),
  });
}
