/**
 * Python sandboxes behind one small port: one sandbox per run, obtained before a turn's calls fan
 * out, calls in order in one kernel, each call marked by its tool_use_id so that a repeat after a
 * crash finds its result instead of running again.
 */
import type { SandboxPort } from './define.ts';

export interface RunSandbox {
  sandboxId: string;
  /** True when `knownSandboxId` was given but is gone: variables and unsaved files are lost. */
  lost: boolean;
  port: SandboxPort;
}

export interface Sandboxes {
  /** Connects to the run's sandbox or makes one. Never shared between runs. Throws StrideError. */
  obtain(request: {
    runId: string;
    knownSandboxId: string | null;
    signal: AbortSignal;
  }): Promise<RunSandbox>;
  /** Kills every sandbox of the run, found by its metadata; returns how many. */
  killRun(runId: string): Promise<number>;
}
