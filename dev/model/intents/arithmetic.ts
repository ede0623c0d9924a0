/** Arithmetic, worked out by the calc tool: the rule only turns words into an expression. */
import { failedCall, fieldOf, type Intent, say, withoutTool } from '../intent.ts';

const WORDS: [RegExp, string][] = [
  [/[×✕·]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/（/g, '('],
  [/）/g, ')'],
  [/\bsquare root of ([\d.]+)/g, 'sqrt($1)'],
  [/([\d.]+)\s*的平方根/g, 'sqrt($1)'],
  [/([\d.]+)\s*的\s*([\d.]+)\s*次方/g, '$1^$2'],
  [/([\d.]+)\s*的平方/g, '$1^2'],
  [/([\d.]+)\s*的立方/g, '$1^3'],
  [/([\d.]+)\s*的\s*([\d.]+)\s*[%％]/g, '($2/100)*$1'],
  [/([\d.]+)\s*(?:[%％]|percent)\s*of\s*([\d.]+)/g, '($1/100)*$2'],
  [/\bfactorial of (\d+)/g, '$1!'],
  [/(\d+)\s*(?:的阶乘|factorial\b)/g, '$1!'],
  [/\b(?:to the power of|raised to)\b|\*\*/g, '^'],
  [/\bsquared\b/g, '^2'],
  [/\bcubed\b/g, '^3'],
  [/\bplus\b|加上?/g, '+'],
  [/\bminus\b|减去?/g, '-'],
  [/\b(?:times|multiplied by)\b|乘以?/g, '*'],
  [/\bdivided by\b|除以/g, '/'],
  [/\bmod(?:ulo)?\b/g, 'mod'],
];

/** Words round the arithmetic that say nothing. */
const POLITE =
  /\b(?:please|what(?:'s| is| are)|how much is|calculate|compute|evaluate|work out|the (?:result|value|answer) (?:of|to)|equals?|is|the)\b|请问?|计算(?:一下)?|算(?:一下|出)?|求|的?(?:结果|值)|等于|是多少|多少|是|几|[?？。=！!]\s*$|[，：:]/g;

/** The question as an expression, or null when anything but arithmetic is left in it. */
export function toExpression(question: string): string | null {
  let text = question.normalize('NFKC').toLowerCase().trim();
  // 1,234,567 is one number; a comma elsewhere is none of ours.
  text = text.replace(/(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) =>
    number.replaceAll(',', ''),
  );
  text = text.replace(/[?？。=]+\s*$/u, '');
  for (const [pattern, replacement] of WORDS) text = text.replace(pattern, replacement);
  text = text.replace(POLITE, ' ').replace(/\s+/g, ' ').trim();
  const isArithmetic =
    /^(?:[\d.+\-*/^()! ]|mod|sqrt|sin|cos|tan|ln|log|log2|log10|exp|abs|pi)+$/.test(text) &&
    /\d/.test(text) &&
    /[+\-*/^!]|mod|sqrt|sin|cos|tan|ln|log|exp|abs/.test(text.replace(/^-/, ''));
  return isArithmetic ? text : null;
}

export const arithmetic: Intent = {
  name: 'arithmetic',
  example: 'What is 2^200 + 1?',
  next(conversation) {
    const expression = toExpression(conversation.question);
    if (expression === null) return null;
    const call = conversation.calls.findLast((one) => one.name === 'calc');
    if (call === undefined) {
      const tool = conversation.tool('calc');
      if (tool === null) return withoutTool(conversation, 'calc');
      return {
        kind: 'call',
        text: '',
        calls: [{ name: 'calc', input: { [fieldOf(tool, ['expression'])]: expression } }],
      };
    }
    if (call.isError) return failedCall(conversation, call);
    // `value`, or `value (rounded; exactly 1/3)`.
    const [, answer = '', remark = ''] = /^(.*?)(?: \((.*)\))?$/s.exec(call.text.trim()) ?? [];
    const note = remark === '' ? '' : ` (${remark})`;
    return {
      kind: 'answer',
      explanation: say(conversation, {
        en: `The calc tool worked out ${expression}${note}.`,
        zh: `calc 工具计算了 ${expression}${note}。`,
      }),
      answer,
    };
  },
};
