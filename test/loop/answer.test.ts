import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../src/loop/answer.ts';

/** [final text, answer, rule, question?] */
type Row = readonly [string, string | null, string, string?];

const CONTRACT: readonly Row[] = [
  ['FINAL ANSWER: 42', '42', 'final_answer'],
  ['The rows add up.\n\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['I checked it.\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['final answer: 42', '42', 'final_answer'],
  ['Final Answer: Paris', 'Paris', 'final_answer'],
  ['FINAL ANSWER：42', '42', 'final_answer'],
  ['FINAL ANSWER:42', '42', 'final_answer'],
  ['FINAL ANSWER : 42', '42', 'final_answer'],
  ['FINAL_ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER:\t42  \r\n', '42', 'final_answer'],
  ['FINAL ANSWER = 42', '42', 'final_answer'],
  ['FINAL ANSWER - Paris', 'Paris', 'final_answer'],
  ['FINAL ANSWER: -5', '-5', 'final_answer'],
  ['FINAL ANSWER (in thousands): 17', '17', 'final_answer'],
  ['So the final answer: 42', '42', 'final_answer'],
  ['My final answer: 42', '42', 'final_answer'],
  ['FINAL ANSWER: 42\n\nI hope this helps.', '42', 'final_answer'],
  ['FINAL ANSWER: 42\n(Six times seven.)', '42', 'final_answer'],
  ['FINAL ANSWER: 41\nWait, that is off by one.\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER:: 42', '42', 'final_answer'],
  ['FINAL ANSWER IS: 42', '42', 'answer_phrase'],
  ['FINAL ANSWER [km]: 42', '42', 'final_answer'],
  ['FINAL\u00a0ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER:\r\n42\r\n', '42', 'final_answer'],
  ['所以FINAL ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER: 41 FINAL ANSWER: 42', '42', 'final_answer'],
  ['The sum is 42. FINAL ANSWER: 42', '42', 'final_answer'],
  ['It is 6*7, therefore FINAL ANSWER: 42', '42', 'final_answer'],
  ['Adding both columns gives FINAL ANSWER: 42', '42', 'final_answer'],
  ['1. Read the file.\n2. FINAL ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER: 1,2,3', '1,2,3', 'final_answer'],
  ['FINAL ANSWER: 12,13', '12,13', 'final_answer'],
  ['FINAL ANSWER: 1,234', '1,234', 'final_answer'],
  ['FINAL ANSWER: 3,4', '3,4', 'final_answer'],
  ['FINAL ANSWER: $42.00', '$42.00', 'final_answer'],
  ['FINAL ANSWER: 42%', '42%', 'final_answer'],
  ['FINAL ANSWER: 1.2.3', '1.2.3', 'final_answer'],
  ['FINAL ANSWER: http://example.org/a?b=c', 'http://example.org/a?b=c', 'final_answer'],
  ['FINAL ANSWER: 12:30', '12:30', 'final_answer'],
  ['FINAL ANSWER: Dune: Part Two', 'Dune: Part Two', 'final_answer'],
  ['FINAL ANSWER: 007', '007', 'final_answer'],
  ['FINAL ANSWER: none', 'none', 'final_answer'],
  ['FINAL ANSWER: 0', '0', 'final_answer'],
];

const MARKDOWN: readonly Row[] = [
  ['**FINAL ANSWER:** 42', '42', 'final_answer'],
  ['**FINAL ANSWER: 42**', '42', 'final_answer'],
  ['**FINAL ANSWER**: 42', '42', 'final_answer'],
  ['**FINAL ANSWER:** **42**', '42', 'final_answer'],
  ['**FINAL ANSWER: **42', '42', 'final_answer'],
  ['**FINAL ANSWER** 42', '42', 'final_answer'],
  ['***FINAL ANSWER: 42***', '42', 'final_answer'],
  ['**_FINAL ANSWER:_** 42', '42', 'final_answer'],
  ['__FINAL ANSWER:__ 42', '42', 'final_answer'],
  ['*FINAL ANSWER:* Paris', 'Paris', 'final_answer'],
  ['* FINAL ANSWER: **42**', '42', 'final_answer'],
  ['- FINAL ANSWER: 42', '42', 'final_answer'],
  ['> FINAL ANSWER:\n> 42', '42', 'final_answer'],
  ['```text\nFINAL ANSWER: 42```', '42', 'final_answer'],
  ['> FINAL ANSWER: 42', '42', 'final_answer'],
  ['> **FINAL ANSWER:** 42', '42', 'final_answer'],
  ['### FINAL ANSWER: 42', '42', 'final_answer'],
  ['## Final Answer\n42', '42', 'final_answer'],
  ['## Final Answer\n\n**42**\n', '42', 'final_answer'],
  ['## **Final Answer:**\n\n42', '42', 'final_answer'],
  ['**Final Answer**\n\n42', '42', 'final_answer'],
  ['Final Answer\n42', '42', 'final_answer'],
  ['`FINAL ANSWER: 42`', '42', 'final_answer'],
  ['FINAL ANSWER: `42`', '42', 'final_answer'],
  ['```\nFINAL ANSWER: 42\n```', '42', 'final_answer'],
  ['FINAL ANSWER: ```42```', '42', 'final_answer'],
  ['FINAL ANSWER: **42**.', '42', 'final_answer'],
  ['**FINAL ANSWER: 42**.', '42', 'final_answer'],
  ['FINAL ANSWER: *Dune*', 'Dune', 'final_answer'],
  ['FINAL ANSWER: _Dune_', 'Dune', 'final_answer'],
  ['<b>FINAL ANSWER:</b> 42', '42', 'final_answer'],
  ['<strong>FINAL ANSWER: 42</strong>', '42', 'final_answer'],
  ['FINAL ANSWER: <b>42</b>', '42', 'final_answer'],
  ['| FINAL ANSWER | 42 |', '42', 'final_answer'],
  ['🎯 FINAL ANSWER: 42', '42', 'final_answer'],
  ['"FINAL ANSWER: 42"', '42', 'final_answer'],
  ['[FINAL ANSWER: 42]', '42', 'final_answer'],
  ['(FINAL ANSWER: f(x))', 'f(x)', 'final_answer'],
  ['FINAL ANSWER: **a** and **b**', '**a** and **b**', 'final_answer'],
  ['FINAL ANSWER: 2**3', '2**3', 'final_answer'],
  ['FINAL ANSWER: *.txt', '*.txt', 'final_answer'],
  ['FINAL ANSWER: *.*', '*.*', 'final_answer'],
  ['FINAL ANSWER: __init__', '__init__', 'final_answer'],
  ['FINAL ANSWER: `__init__`', '__init__', 'final_answer'],
  ['FINAL ANSWER: $42$', '42', 'final_answer'],
  ['FINAL ANSWER: \\(x^2\\)', 'x^2', 'final_answer'],
  ['FINAL ANSWER: $$\n42\n$$', '42', 'final_answer'],
  ['FINAL ANSWER: <b>x</b>', '<b>x</b>', 'final_answer', 'Which HTML makes x bold?'],
];

const BELOW: readonly Row[] = [
  ['FINAL ANSWER:\n42', '42', 'final_answer'],
  ['FINAL ANSWER:\n\n42\n\nThis is because of X.', '42', 'final_answer'],
  ['FINAL ANSWER:\n42\n---\nDone.', '42', 'final_answer'],
  ['FINAL ANSWER:\n42\nExplanation: six times seven', '42', 'final_answer'],
  ['FINAL ANSWER:\napple\nbanana', 'apple\nbanana', 'final_answer'],
  [
    'FINAL ANSWER:\n1. apple\n\n2. banana\n\nHope it helps',
    '1. apple\n\n2. banana',
    'final_answer',
  ],
  [
    'FINAL ANSWER:\n```python\nprint(1)\n\nprint(2)\n```\nThat prints both.',
    'print(1)\n\nprint(2)',
    'final_answer',
  ],
  ['FINAL ANSWER: ```python\nprint(1)\n```', 'print(1)', 'final_answer'],
  [
    'FINAL ANSWER:\ndef f():\n    a = 1\n\n    return a',
    'def f():\n    a = 1\n\n    return a',
    'final_answer',
  ],
  ['```\nFINAL ANSWER:\n42\n```', '42', 'final_answer'],
  ['FINAL ANSWER: {\n  "a": 1\n}', '{\n  "a": 1\n}', 'final_answer'],
  ['FINAL ANSWER: apple,\nbanana,\ncherry\nDone.', 'apple,\nbanana,\ncherry', 'final_answer'],
  [
    'FINAL ANSWER:\n```python\nprint(1)\n```\nThat prints 1.',
    'print(1)',
    'final_answer',
    'Write a Python program that prints 1.',
  ],
  ['FINAL ANSWER: - a\n- b', '- a\n- b', 'final_answer'],
  [
    'FINAL ANSWER:\nRoses are red\n\nViolets are blue',
    'Roses are red\n\nViolets are blue',
    'final_answer',
    'Write a poem.',
  ],
  [
    'FINAL ANSWER: Roses are red\nViolets are blue',
    'Roses are red\nViolets are blue',
    'final_answer',
    'Write a poem.',
  ],
  ['最终答案：\n\n42', '42', 'final_answer'],
];

/** Answers that clean-up by pattern would spoil, one a line. */
const UNTOUCHED = readFileSync(
  new URL('../fixtures/answers-untouched.txt', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n');

const QUOTES: readonly Row[] = [
  ['FINAL ANSWER: "Hello"', 'Hello', 'final_answer'],
  ['FINAL ANSWER: “Hello”', 'Hello', 'final_answer'],
  ["FINAL ANSWER: 'Hello'", 'Hello', 'final_answer'],
  ["FINAL ANSWER: 'Don't stop'", "Don't stop", 'final_answer'],
  ['FINAL ANSWER: «Bonjour»', 'Bonjour', 'final_answer'],
  ['FINAL ANSWER: 「你好」', '你好', 'final_answer'],
  ['FINAL ANSWER: **"42"**', '42', 'final_answer'],
  ['FINAL ANSWER: "**42**"', '42', 'final_answer'],
  ['FINAL ANSWER: "Paris".', 'Paris', 'final_answer'],
  ['FINAL ANSWER: "Hello" and "Bye"', '"Hello" and "Bye"', 'final_answer'],
];

/** Only the outer pair goes, so these results would lose the inner one when read again. */
const NESTED_QUOTES: readonly (readonly [string, string, string])[] = [
  [`FINAL ANSWER: "'hello'"`, `'hello'`, 'final_answer'],
  [`FINAL ANSWER: '"hello"'`, '"hello"', 'final_answer'],
  ['FINAL ANSWER: “‘hello’”', '‘hello’', 'final_answer'],
  ['FINAL ANSWER: 「『你好』」', '『你好』', 'final_answer'],
  [`FINAL ANSWER: "'hello'".`, `'hello'`, 'final_answer'],
  [`**FINAL ANSWER: "'hello'"**`, `'hello'`, 'final_answer'],
  [`FINAL ANSWER: "**'hello'**"`, `'hello'`, 'final_answer'],
  [`The answer is "'hello'".`, `'hello'`, 'answer_phrase'],
  [`"'hello'"`, `'hello'`, 'whole_reply'],
  [`FINAL ANSWER: "The answer is 'hello'."`, 'hello', 'final_answer'],
];

const PERIODS: readonly Row[] = [
  ['FINAL ANSWER: 42.', '42', 'final_answer'],
  ['FINAL ANSWER: 3.14.', '3.14', 'final_answer'],
  ['FINAL ANSWER: Yes.', 'Yes', 'final_answer'],
  ['FINAL ANSWER: 42%.', '42%', 'final_answer'],
  ['FINAL ANSWER: 巴黎。', '巴黎', 'final_answer'],
  ['FINAL ANSWER: Paris.', 'Paris.', 'final_answer'],
  ['FINAL ANSWER: U.S.', 'U.S.', 'final_answer'],
];

const ECHOES: readonly Row[] = [
  [
    'I will finish with FINAL ANSWER: [YOUR FINAL ANSWER]\n\nIt is 42.\nFINAL ANSWER: 42',
    '42',
    'final_answer',
  ],
  ['Use this template: FINAL ANSWER: [YOUR FINAL ANSWER].\nFINAL ANSWER: 42', '42', 'final_answer'],
  [
    'FINAL ANSWER: 42\n\n(The template was FINAL ANSWER: [YOUR FINAL ANSWER].)',
    '42',
    'final_answer',
  ],
  ['FINAL ANSWER: 42\n\nThe line "FINAL ANSWER:" is there as asked.', '42', 'final_answer'],
  [
    'FINAL ANSWER: 42\n\nAs asked, I end with the line `FINAL ANSWER:` above.',
    '42',
    'final_answer',
  ],
  ['FINAL ANSWER: 42\nI wrote FINAL ANSWER: as the contract says.', '42', 'final_answer'],
  ['FINAL ANSWER: [YOUR FINAL ANSWER]', null, 'placeholder'],
  ['I will finish with FINAL ANSWER: [YOUR FINAL ANSWER]', null, 'placeholder'],
  ["I'll write FINAL ANSWER: at the end.", null, 'placeholder'],
  ['FINAL ANSWER: <your answer>', null, 'placeholder'],
  ['FINAL ANSWER: [answer]', null, 'placeholder'],
  ['FINAL ANSWER: ...', null, 'placeholder'],
  ['FINAL ANSWER: **', null, 'placeholder'],
  ['FINAL ANSWER: TBD', null, 'placeholder'],
  ['FINAL ANSWER: *', '*', 'final_answer', 'Which operator multiplies?'],
  ['FINAL ANSWER: ?', null, 'placeholder'],
  ['FINAL ANSWER: ?', '?', 'final_answer', 'Which punctuation mark ends the sentence?'],
  ['最终答案：[你的答案]', null, 'placeholder'],
  ['<answer>your answer here</answer>', null, 'placeholder'],
  ['\\boxed{?}', null, 'placeholder'],
  ['FINAL ANSWER: 41\nFINAL ANSWER: [YOUR FINAL ANSWER]', '41', 'final_answer'],
];

const EMPTY: readonly Row[] = [
  ['', null, 'empty'],
  [' \n\t \u200b', null, 'empty'],
  ['FINAL ANSWER:', null, 'empty'],
  ['FINAL ANSWER: ""', null, 'empty'],
  ['It is hard to say.\n\n**FINAL ANSWER:**', null, 'empty'],
  ['<answer></answer>', null, 'empty'],
  ['<answer>  </answer>\nThe answer is 42.', '42', 'answer_phrase'],
  ['FINAL ANSWER: 41\n…\nFINAL ANSWER:', '41', 'final_answer'],
  ['{"answer": ""}', null, 'empty'],
  ['{"answer": null}', null, 'no_answer'],
  ['{"answer": null, "reason": "the file is empty"}', null, 'no_answer'],
];

const NO_ANSWER: readonly Row[] = [
  ['NO ANSWER: the file has no such column', null, 'no_answer'],
  ['I looked.\n\n**NO ANSWER:** the file has no such column', null, 'no_answer'],
  [
    'FINAL ANSWER: 42\nOn second thought that is another column.\nNO ANSWER: no such column',
    null,
    'no_answer',
  ],
  ['NO ANSWER: not found yet\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['NO ANSWER: [reason]', null, 'placeholder'],
  ['无法回答：文件里没有这一列', null, 'no_answer'],
  ['FINAL ANSWER: NO ANSWER', null, 'no_answer'],
  ['FINAL ANSWER: NO ANSWER: the page is gone', null, 'no_answer'],
  ['FINAL ANSWER: Unable to determine', null, 'no_answer'],
  ['FINAL ANSWER: Unable to determine.', null, 'no_answer'],
  ['FINAL ANSWER: Cannot be determined', null, 'no_answer'],
  [
    'FINAL ANSWER: cannot be determined',
    'cannot be determined',
    'final_answer',
    "Answer A, B or 'cannot be determined'.",
  ],
  ["FINAL ANSWER: I don't know", null, 'no_answer'],
  ['FINAL ANSWER: N/A', null, 'no_answer'],
  ['FINAL ANSWER: N/A', 'N/A', 'final_answer', 'Give the ISBN, or N/A if there is none.'],
  ['FINAL ANSWER: (none)', null, 'no_answer'],
  ['FINAL ANSWER: null', null, 'no_answer'],
  ['FINAL ANSWER: null', 'null', 'final_answer', 'What does the program print?'],
  ['无法获取答案', null, 'no_answer'],
  ['FINAL ANSWER: 无法获取答案', null, 'no_answer'],
  ['最终答案：无法确定', null, 'no_answer'],
  ["I'm sorry, I could not find the file.", null, 'no_answer'],
  ['抱歉，我无法打开这个文件。', null, 'no_answer'],
  ['The answer is unknown.', null, 'no_answer'],
  ['I will start by searching for the paper.', null, 'unfinished'],
  ['Let me look at the file:', null, 'unfinished'],
  ['我先搜索一下相关资料。', null, 'unfinished'],
];

const TABLES = {
  CONTRACT,
  MARKDOWN,
  BELOW,
  QUOTES,
  PERIODS,
  ECHOES,
  EMPTY,
  NO_ANSWER,
};

describe('extractAnswer', () => {
  for (const [name, rows] of Object.entries(TABLES)) {
    describe(`table ${name}`, () => {
      it.each(
        rows.map(([text, answer, rule, question]) => ({
          text,
          answer,
          rule,
          question: question ?? '',
        })),
      )('reads $answer out of $text', ({ text, answer, rule, question }) => {
        expect(extractAnswer({ text, question })).toMatchObject({ answer, rule });
      });
    });
  }

  it.each(NESTED_QUOTES)('takes one of two quote pairs off: %s', (text, answer, rule) => {
    expect(extractAnswer({ text, question: '' })).toMatchObject({ answer, rule });
  });

  describe.each([
    ['behind the marker', (answer: string) => `It was checked.\n\nFINAL ANSWER: ${answer}`],
    ['in bold behind the marker', (answer: string) => `**FINAL ANSWER:** ${answer}`],
    ['below the marker', (answer: string) => `FINAL ANSWER:\n\n${answer}\n`],
    ['below a heading', (answer: string) => `## Final answer\n\n${answer}\n\nThat is all.`],
    ['behind the Chinese marker', (answer: string) => `最终答案：${answer}`],
    ['in a tag', (answer: string) => `<answer>${answer}</answer>`],
    ['as the whole reply', (answer: string) => answer],
  ])('an answer %s', (_place, put) => {
    it.each(UNTOUCHED)('stays as it is: %s', (answer) => {
      expect(extractAnswer({ text: put(answer), question: '' }).answer).toBe(answer);
    });
  });

  it('changes nothing when applied to its own result', () => {
    for (const [, answer, , question] of Object.values(TABLES).flat()) {
      if (answer === null) continue;
      expect(extractAnswer({ text: answer, question: question ?? '' }).answer).toBe(answer);
    }
  });

  it.each([
    ['Because 6 × 7 = 42.\n\nFINAL ANSWER: 42', 'Because 6 × 7 = 42.'],
    ['Because 6 × 7 = 42.\n\n---\n\n**FINAL ANSWER:** 42', 'Because 6 × 7 = 42.'],
    ['Because 6 × 7 = 42. **FINAL ANSWER: 42**', 'Because 6 × 7 = 42.'],
    ['Computed.\n```\nFINAL ANSWER: 42\n```', 'Computed.'],
    ['```\n6*7\n```\nFINAL ANSWER: 42', '```\n6*7\n```'],
    ['Because.\n<answer>42</answer>', 'Because.'],
    ['We find $\\boxed{42}$', 'We find'],
    ['{"reasoning": "6*7", "answer": 42}', '6*7'],
    ['<think>hm</think>Because.\nFINAL ANSWER: 42', 'Because.'],
    ['FINAL ANSWER: 42', null],
    ['42', null],
  ])('gives what stands before the answer as its explanation: %j', (text, explanation) => {
    expect(extractAnswer({ text, question: '' }).explanation).toBe(explanation);
  });

  it.each([
    ['I read both sheets.\nNO ANSWER: there is no column "tax".', 'there is no column "tax".'],
    ['NO ANSWER', null],
    ['无法回答：没有这一列', '没有这一列'],
    ['FINAL ANSWER: NO ANSWER: the page is gone', 'the page is gone'],
    ['{"answer": null, "reason": "empty file"}', 'empty file'],
    ['FINAL ANSWER: Unable to determine', 'Unable to determine'],
  ])('gives the reason of an honest null: %j', (text, reason) => {
    expect(extractAnswer({ text, question: '' })).toMatchObject({
      answer: null,
      rule: 'no_answer',
      reason,
    });
  });
});
