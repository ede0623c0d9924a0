/**
 * list_files: the files of the run, with sizes and media types.
 */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { matchPaths } from './path-filter.ts';
import { count } from './truncate.ts';

const MAX_LISTED = 500;

export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists the files of this task: path, size, media type. Includes files that tools wrote. ' +
    'Optionally only those below a folder or matching a glob such as "*.csv".',
  aliases: ['ls', 'LS', 'list_dir', 'Glob'],
  fieldAliases: { pattern: 'path', glob: 'path', folder: 'path', directory: 'path' },
  input: z.object({
    path: z
      .string()
      .optional()
      .describe(
        'Folder, file or glob ("data", "*.csv", "data/**/*.json"); all files when left out',
      ),
  }),
  async run({ path }, { workspace }) {
    const all = workspace.list();
    if (all.length === 0) return 'This run has no files.';
    const files = await matchPaths(all, path);
    if (files.length === 0) {
      return `No file matches "${path}"; the run has ${all.length}: leave path out to see them all.`;
    }
    const lines = files
      .slice(0, MAX_LISTED)
      .map((file) => `${file.path}  ${count(file.bytes)} bytes  ${file.media_type}`);
    const rest = files.length - lines.length;
    if (rest > 0) lines.push(`[${count(rest)} more; narrow path to see them]`);
    return {
      content: lines.join('\n'),
      data: {
        files: files
          .slice(0, MAX_LISTED)
          .map((file) => ({ path: file.path, bytes: file.bytes, media_type: file.media_type })),
      },
    };
  },
});
