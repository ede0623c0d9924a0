/** Questions about the files themselves: which there are, what they say, where a word stands. */
import { type Conversation, pathsInListing } from '../conversation.ts';
import { failedCall, fieldOf, type Intent, type Move, say, withoutTool } from '../intent.ts';
import { isTableQuestion } from '../question.ts';

interface Ask {
  tool: string;
  input: (fields: string[]) => Record<string, unknown>;
  /** The answer from the tool's text; empty when it holds none. */
  read: (text: string) => { explanation: { en: string; zh: string }; answer: string };
}

/** One call, then the answer out of its text. */
function callOnce(conversation: Conversation, ask: Ask): Move {
  const call = conversation.calls.findLast((one) => one.name === ask.tool);
  if (call === undefined) {
    const tool = conversation.tool(ask.tool);
    if (tool === null) return withoutTool(conversation, ask.tool);
    return { kind: 'call', text: '', calls: [{ name: ask.tool, input: ask.input(tool.fields) }] };
  }
  if (call.isError) return failedCall(conversation, call);
  const { explanation, answer } = ask.read(call.text.trim());
  if (answer !== '') return { kind: 'answer', explanation: say(conversation, explanation), answer };
  return { kind: 'no_answer', reason: say(conversation, explanation) };
}

/** The attached file that the question names (by path or last part), or the only one. */
function fileIn(conversation: Conversation): string | null {
  const question = conversation.question.toLowerCase();
  const named = conversation.files
    .filter((path) => question.includes(path.toLowerCase().split('/').at(-1) ?? path))
    .sort((a, b) => b.length - a.length);
  const written = /[\p{L}\p{N}_][\p{L}\p{N}_./-]{0,120}\.[a-z0-9]{1,5}\b/iu.exec(
    conversation.question,
  )?.[0];
  const [only, ...others] = conversation.files;
  return named[0] ?? written ?? (others.length === 0 ? (only ?? null) : null);
}

const HOW_MANY_FILES =
  /\bhow many (?:files|attachments) (?:are|were|do|did|have)\b|(?:几个|多少个?)(?:文件|附件)/i;
const WHICH_FILES =
  /\b(?:list|show|what|which|name)\b[^.?]*\bfiles\b|哪些(?:文件|附件)|列出.{0,8}(?:文件|附件)/i;

export const listing: Intent = {
  name: 'list_files',
  example: 'Which files are attached?',
  next(conversation) {
    const { question } = conversation;
    const isCount = HOW_MANY_FILES.test(question);
    if (!isCount && (!WHICH_FILES.test(question) || isTableQuestion(conversation))) return null;
    return callOnce(conversation, {
      tool: 'list_files',
      input: () => ({}),
      read: (text) => {
        const paths = pathsInListing(text);
        const isEmpty = /no files/i.test(text);
        const list = paths.join(', ') || (isEmpty ? 'none' : '');
        return {
          explanation: {
            en: 'list_files named the files of this task.',
            zh: 'list_files 列出了这次任务的文件。',
          },
          answer: isCount && list !== '' ? String(paths.length) : list,
        };
      },
    });
  },
};

const COUNTS: Record<string, number> = {
  one: 1,
  two: 2,
  three: 3,
  five: 5,
  ten: 10,
  一: 1,
  两: 2,
  三: 3,
  五: 5,
  十: 10,
};

export const reading: Intent = {
  name: 'read_file',
  example: 'Show the first 3 lines of notes.txt',
  next(conversation) {
    const { question } = conversation;
    const asked =
      /^\s*(?:please\s+)?(?:read|show|print|open|display|cat)\b|\bwhat does .+ say\b|\bcontents? of\b|\bfirst (?:\w+ )?lines?\b|读取?|打开|显示|内容是什么|前.{1,3}行/i;
    const path = fileIn(conversation);
    if (!asked.test(question) || path === null || isTableQuestion(conversation)) return null;
    const match = /\bfirst (\w+)? ?lines?\b|前\s*(\d+|[一两三五十])\s*行/i.exec(question);
    const word = (match?.[1] ?? match?.[2] ?? '').toLowerCase();
    const lines = match === null ? null : (COUNTS[word] ?? (Number.parseInt(word, 10) || 1));
    return callOnce(conversation, {
      tool: 'read_file',
      input: (fields) => ({
        path,
        ...(lines !== null && fields.includes('to_line') ? { from_line: 1, to_line: lines } : {}),
      }),
      read: (text) => {
        // The last line in brackets is the tool's note about the range, not the file's.
        const shown = text
          .split('\n')
          .filter((line, at, all) => at < all.length - 1 || !/^\[.*\]$/.test(line));
        return {
          explanation: {
            en: `read_file returned this from ${path}.`,
            zh: `read_file 从 ${path} 读到以下内容。`,
          },
          answer: (lines === null ? shown : shown.slice(0, lines)).join('\n'),
        };
      },
    });
  },
};

export const searching: Intent = {
  name: 'grep',
  example: 'Which lines contain "error"?',
  next(conversation) {
    const { question } = conversation;
    const quoted = /["“「'`]([^"”」'`]+)["”」'`]/.exec(question)?.[1];
    const bare =
      /\b(?:contain(?:s|ing)?|mention(?:s|ing)?|match(?:es|ing)?|with)\s+(?:the word\s+)?(\S+?)[?.]?$/i.exec(
        question,
      )?.[1];
    const asked =
      /\b(?:lines?|rows?)\b[^?]*\b(?:contain|mention|match)|^\s*(?:grep|search)\b|[哪多]\S*行.*(?:包含|含有|匹配)|查找|搜索/i;
    const words = quoted ?? bare;
    if (!asked.test(question) || words === undefined) return null;
    const isPattern = /regex|regular expression|pattern|match|正则/i.test(question);
    const pattern = isPattern ? words : words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return callOnce(conversation, {
      tool: 'grep',
      input: (fields) => ({ [fieldOf({ fields }, ['pattern', 'query'])]: pattern }),
      read: (text) => {
        const lines = text.split('\n').filter((line) => /^.+?:\d+:/.test(line));
        const found = lines.map((line) => line.replace(/^(.+?:\d+):/, '$1: '));
        return {
          explanation:
            lines.length === 0
              ? {
                  en: `grep found no line with "${words}".`,
                  zh: `grep 没有找到含有“${words}”的行。`,
                }
              : {
                  en: `grep found ${lines.length} ${lines.length === 1 ? 'line' : 'lines'} with "${words}".`,
                  zh: `grep 找到 ${lines.length} 行含有“${words}”。`,
                },
          answer: /\bhow many\b|多少行/i.test(question)
            ? String(lines.length)
            : found.join('\n') || 'none',
        };
      },
    });
  },
};

export const writing: Intent = {
  name: 'write_file',
  example: 'Write "hello" to the file greeting.txt',
  next(conversation) {
    const match =
      /\b(?:write|save|put)\s+["“'`]([\s\S]+?)["”'`]\s+(?:in)?to\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?["'`]?([^\s"'`]+\.\w{1,8})/i.exec(
        conversation.question,
      ) ??
      /把["“「'`]([\s\S]+?)["”」'`](?:写入|写到|保存到)(?:文件)?\s*["“「'`]?([^\s"”」'`]+\.\w{1,8})/.exec(
        conversation.question,
      );
    const [, content, path] = match ?? [];
    if (content === undefined || path === undefined) return null;
    return callOnce(conversation, {
      tool: 'write_file',
      input: (fields) => ({
        path,
        [fieldOf({ fields: fields.filter((name) => name !== 'path') }, ['content', 'text'])]:
          content,
      }),
      read: (text) => ({
        explanation: {
          en: `write_file said: ${text.split('\n')[0]}`,
          zh: `write_file 返回：${text.split('\n')[0]}`,
        },
        answer: path,
      }),
    });
  },
};
