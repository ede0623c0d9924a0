/**
 * Where the files of a task come from. Here: the files attached to the run itself, which are in its
 * workspace from the start. A source that has nothing says so once and for good.
 */
import type { FileRef } from '../loop/journal.ts';
import type { TaskFilesPort } from './define.ts';

export interface UploadedFiles {
  /** What was attached to the run when it was accepted. */
  files: readonly FileRef[];
  /** The task that the run answers, as its sender named it; null without one. */
  taskId: string | null;
}

/** The files attached to a run. A run without a task id answers to any: models make ids up. */
export function createUploadedFiles({ files, taskId }: UploadedFiles): TaskFilesPort {
  return {
    fetch: async (wanted) => {
      const asked = wanted?.trim() ?? '';
      const isOther = taskId !== null && asked !== '' && asked !== taskId.trim();
      if (isOther) {
        const own =
          files.length === 0
            ? 'this task has none, so answer from the question'
            : 'leave task_id out for those of this task';
        return missing(`Files of other tasks cannot be fetched; ${own}.`);
      }
      if (files.length === 0) {
        return missing(
          'This task has no files. That is final, do not ask again: answer from the question.',
        );
      }
      return { kind: 'found', files: [...files] };
    },
  };
}

function missing(message: string): { kind: 'missing'; message: string } {
  return { kind: 'missing', message };
}
