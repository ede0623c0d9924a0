/**
 * execute_python: runs code in the run's own sandbox. Text for the model is compact and says what
 * to do next; `data` holds the same for pages and programs.
 */
import { z } from 'zod';
import { ROWS } from '../settings.ts';
import { defineTool, type PythonOutcome, type Tool, type ToolOutput } from './define.ts';
import { emptyOutcome } from './sandbox-record.ts';

/** What the code itself may take. */
const CODE_TIMEOUT_MS = 30_000;
/** Start of a sandbox, files, installation and code; at 60 s a client may still drive the step. */
const TOOL_TIMEOUT_MS = 60_000;
/** Kept of the tool's time for files and the record. */
const MARGIN_MS = 8_000;
const MAX_CODE_CHARS = 100_000;

/** `note`: one sentence about the packages of this deployment's Python (PYTHON_NOTE). */
function describePython(note: string): string {
  return `Runs Python in this task's own sandbox and returns what it prints and the value of its last expression. The files of the task are in the working directory under their names; files and plots that the code writes there are kept. Variables and imports stay for later calls. ${note} No internet access. ${CODE_TIMEOUT_MS / 1000} seconds for each call, 512 MB of memory. Plain Python only: no ! or % lines.`;
}

export const executePython = defineTool({
  name: 'execute_python',
  description: describePython(ROWS.PYTHON_NOTE.default),
  input: z.object({
    code: z
      .string()
      .min(1)
      .max(MAX_CODE_CHARS)
      .describe('Python source. Print what you want to see.'),
    requirements: z
      .array(z.string())
      .optional()
      .describe(
        'Packages to install first, e.g. ["biopython", "chess>=1.10"]. Names and versions only.',
      ),
  }),
  aliases: ['run_python', 'python'],
  fieldAliases: { script: 'code', python_code: 'code', source: 'code', packages: 'requirements' },
  effect: 'sandbox',
  untrusted: true,
  needs: 'sandbox',
  timeoutMs: TOOL_TIMEOUT_MS,
  async run({ code, requirements = [] }, context) {
    if (!context.sandbox) {
      const message = 'No Python sandbox is available in this run: answer without running code.';
      return render(
        emptyOutcome('error', { error: { name: 'Unavailable', message, traceback: '' } }),
      );
    }
    const outcome = await context.sandbox.execute({
      toolUseId: context.toolUseId,
      code,
      requirements,
      timeoutMs: Math.max(1_000, Math.min(CODE_TIMEOUT_MS, context.timeoutMs - MARGIN_MS)),
      signal: context.signal,
      workspace: context.workspace,
      resumed: context.resumed,
    });
    return render(outcome);
  },
});

/** The same tool for a deployment whose Python has other packages. */
export function executePythonWith(note: string): Tool {
  return { ...executePython, description: describePython(note) };
}

function render(outcome: PythonOutcome): ToolOutput {
  const { output, stdout, stderr, result, error, files } = outcome;
  const parts: string[] = [];
  if (output !== '') parts.push(output.replace(/\n$/, ''));
  if (result !== null) parts.push(`Result: ${result}`);
  if (error) parts.push(errorText(error));
  if (files.length > 0) {
    const names = files.map((file) => `${file.path} (${file.bytes} bytes)`);
    parts.push(`Files written: ${names.join(', ')}`);
  }
  parts.push(...outcome.notes.map((note) => `Note: ${note}`));
  if (parts.length === 0)
    parts.push('The code ran and printed nothing. Print the values you need.');
  return {
    content: parts.join('\n'),
    isError: outcome.status !== 'done',
    data: { output, stdout, stderr, result, error, files },
  };
}

/** The traceback ends with name and message; without one they stand alone. */
function errorText(error: { name: string; message: string; traceback: string }): string {
  if (error.traceback === '') return `${error.name}: ${error.message}`;
  const trace = error.traceback.trimEnd();
  // Python says nothing with a bare MemoryError; our message does.
  return trace.endsWith(error.name) && error.message !== '' ? `${trace}: ${error.message}` : trace;
}
