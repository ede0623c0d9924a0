/** `Run this Python:` with a code fence. The answer is what the code printed last, or its value. */
import { failedCall, type Intent, say, withoutTool } from '../intent.ts';

/** The code of the first fence, or what follows `run this Python:` on the line. */
export function codeIn(question: string): string | null {
  const fence = /```(?:python|py)?[ \t]*\r?\n?([\s\S]*?)```/i.exec(question)?.[1];
  const line = /\b(?:run|execute)\b[^:\n]*\bpython\b[^:\n]*:\s*([\s\S]+)$/i.exec(question)?.[1];
  const code = (fence ?? line)?.trim();
  return code === undefined || code === '' ? null : code;
}

/** The value of the last expression, else the last line printed; null when there is neither. */
function lastPrinted(text: string): string | null {
  const lines = text
    .split('\n')
    .filter(
      (line) =>
        line.trim() !== '' &&
        !/^(?:Files written|Note): |^The code ran and printed nothing/.test(line),
    );
  return (
    lines
      .at(-1)
      ?.replace(/^Result: /, '')
      .trim() ?? null
  );
}

export const python: Intent = {
  name: 'execute_python',
  example: 'Run this Python: ```print(sum(range(101)))```',
  next(conversation) {
    const { question } = conversation;
    if (!/\b(?:run|execute)\b|运行|执行/i.test(question) || !/python|```/i.test(question))
      return null;
    const code = codeIn(question);
    if (code === null) return null;
    const call = conversation.calls.findLast((one) => one.name === 'execute_python');
    if (call === undefined) {
      if (conversation.tool('execute_python') === null)
        return withoutTool(conversation, 'execute_python');
      return { kind: 'call', text: '', calls: [{ name: 'execute_python', input: { code } }] };
    }
    if (call.isError) return failedCall(conversation, call);
    const answer = lastPrinted(call.text);
    if (answer === null) {
      return {
        kind: 'no_answer',
        reason: say(conversation, {
          en: 'The code ran and printed nothing; let it print what you want to know.',
          zh: '代码已运行，但没有输出；请让它打印需要的结果。',
        }),
      };
    }
    return {
      kind: 'answer',
      explanation: say(conversation, {
        en: 'The code ran in the sandbox; this is the last line it printed.',
        zh: '代码在沙箱中运行；这是它输出的最后一行。',
      }),
      answer,
    };
  },
};
