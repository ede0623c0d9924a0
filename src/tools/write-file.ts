/**
 * write_file: text into the workspace. The bytes are an immutable object named by digest, so the
 * call is pure: running it again writes the same object again.
 */
import { z } from 'zod';
import { StrideError } from '../errors.ts';
import { defineTool } from './define.ts';
import { concat, openText } from './text-file.ts';
import { count } from './truncate.ts';

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes text to a file of this task (UTF-8), replacing what was there; append=true adds to its end. ' +
    'Paths are relative, folders are made as needed.',
  lane: 'workspace',
  aliases: ['Write', 'create_file'],
  fieldAliases: {
    file_path: 'path',
    file: 'path',
    filename: 'path',
    text: 'content',
    contents: 'content',
    file_text: 'content',
  },
  input: z.object({
    path: z.string().describe('Relative path, for example "notes/summary.md"'),
    content: z.string().describe('The text to write'),
    append: z
      .boolean()
      .default(false)
      .describe('Add to the end of the file instead of replacing it'),
  }),
  async run({ path, content, append }, { workspace }) {
    const added = new TextEncoder().encode(content.toWellFormed());
    // The exact path only: a forgiving match would append to a file that was not named.
    const wanted = path.normalize('NFC');
    const existing = append ? workspace.list().find((file) => file.path === wanted) : undefined;
    if (existing !== undefined && existing.bytes > 0) {
      const text = await openText(workspace, existing);
      if (text.kind === 'binary' || text.encoding !== 'utf-8') {
        const what = text.kind === 'binary' ? text.what : text.encoding;
        throw new StrideError(
          'invalid_input',
          `${existing.path} is ${what}, not UTF-8 text; write a new file.`,
        );
      }
    }
    const before = existing === undefined ? null : await workspace.read(existing.path);
    const bytes = before === null ? added : concat(before, added);
    const file = await workspace.write(path, bytes);
    const total = existing === undefined ? '' : `; the file now has ${count(file.bytes)}`;
    return {
      content: `Wrote ${count(added.length)} bytes to ${file.path}${total}.`,
      data: { path: file.path, bytes: file.bytes },
    };
  },
});
