/**
 * fetch_task_files: the files of the task, each with what it is by its content and which tool fits.
 * Where they come from is a port's business (task-files.ts). A failed fetch is said once and is
 * final: asking again would cost turns and bring nothing.
 */
import { z } from 'zod';
import { StrideError } from '../errors.ts';
import { MAX_UPLOAD_BYTES } from '../limits.ts';
import type { FileRef } from '../loop/journal.ts';
import { defineTool, type ToolContext, type Workspace } from './define.ts';
import { detectFileType, type FileType, SNIFFED_BYTES, toolFor } from './file-type.ts';
import { nameConflict } from './file-type-names.ts';
import { normalisePath } from './paths.ts';
import { count } from './truncate.ts';

/** Each costs a read of its object, and a Worker has a bounded number of those. */
const MAX_SHOWN = 40;

export const fetchTaskFiles = defineTool({
  name: 'fetch_task_files',
  description:
    'Fetches the files of the task and says of each its path, size, what it is (by its content, not by ' +
    'its name) and which tool fits. Leave task_id out for the task of this run. When it finds no files, ' +
    'that is final.',
  aliases: ['get_task_files', 'download_task_files'],
  fieldAliases: { id: 'task_id', taskId: 'task_id' },
  // Not marked as untrusted: no text of a file is shown, and names have passed normalisePath, as
  // in list_files. A wrapper would turn the advice that stands beside them into data.
  input: z.object({
    task_id: z.string().optional().describe('Task whose files to fetch; this one when left out'),
  }),
  async run({ task_id }, context) {
    const source = context.taskFiles;
    if (source === undefined) {
      return final('Task files cannot be fetched here; list_files shows the files of this run.');
    }
    const wanted = task_id === undefined || task_id.trim() === '' ? null : task_id.trim();
    const found = await source.fetch(wanted);
    if (found.kind === 'missing') return final(found.message);
    return await describeAll(found.files, context);
  },
});

function final(content: string) {
  return { content, isError: true };
}

interface Described {
  line: string;
  data: { path: string; bytes: number; media_type: string; kind: string } | null;
}

async function describeAll(files: readonly FileRef[], context: ToolContext) {
  const described: Described[] = [];
  for (const file of files.slice(0, MAX_SHOWN)) {
    context.signal.throwIfAborted();
    described.push(await describe(file, context.workspace));
  }
  const lines = described.map(({ line }) => line);
  const rest = files.length - described.length;
  if (rest > 0) lines.push(`[${count(rest)} more; list_files shows them]`);
  const data = described.map((each) => each.data).filter((each) => each !== null);
  if (data.length > 0) {
    lines.push('execute_python, when available, opens the same files under the same names.');
  }
  return { content: lines.join('\n'), data: { files: data } };
}

/** The bytes are the workspace's: what a source names beyond it leads nowhere. */
async function describe(named: FileRef, workspace: Workspace): Promise<Described> {
  const normal = normalisePath(named.path);
  if (!normal.ok) return { line: `[a file was left out: ${normal.error.message}]`, data: null };
  const file = workspace.list().find(({ path }) => path === normal.value);
  if (file === undefined) {
    return { line: `${normal.value}  is not among the files of this run`, data: null };
  }
  try {
    const { type, hasTable } = await lookInto(file, workspace);
    const conflict = nameConflict(file.path, { type, hasTable });
    const what = conflict ?? type.label;
    return {
      line: `${file.path}  ${count(file.bytes)} bytes  ${what}; ${toolFor(type)}`,
      data: { path: file.path, bytes: file.bytes, media_type: type.mediaType, kind: type.kind },
    };
  } catch (error) {
    // One file whose bytes are gone does not hide the others.
    if (!(error instanceof StrideError)) throw error;
    return { line: `${file.path}  cannot be read: ${error.message}`, data: null };
  }
}

async function lookInto(
  file: FileRef,
  workspace: Workspace,
): Promise<{ type: FileType; hasTable: boolean }> {
  const head = await workspace.read(file.path, { maxBytes: SNIFFED_BYTES });
  const type = detectFileType(head);
  // The directory of an archive stands at its end, that of an old Office file anywhere.
  const isOpen = type.kind === 'zip' || type.kind === 'cfb';
  if (isOpen && head.length < file.bytes && file.bytes <= MAX_UPLOAD_BYTES) {
    return { type: detectFileType(await workspace.read(file.path)), hasTable: false };
  }
  const hasTable = type.kind === 'html' && /<table\b/i.test(new TextDecoder().decode(head));
  return { type, hasTable };
}
