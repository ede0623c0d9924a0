import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../src/loop/answer.ts';

/** [final text, answer, rule, question?] */
type Row = readonly [string, string | null, string, string?];

const OTHER_FRAMES: readonly Row[] = [
  ['<answer>42</answer>', '42', 'answer_tag'],
  ['Six times seven.\n<answer>\n42\n</answer>\nDone.', '42', 'answer_tag'],
  ['<final_answer>a\nb</final_answer>', 'a\nb', 'answer_tag'],
  ['<Answer type="number">42</Answer>', '42', 'answer_tag'],
  ['<answer>41</answer> no, <answer>42</answer>', '42', 'answer_tag'],
  ['I put it between <answer> and </answer>: <answer>42</answer>', '42', 'answer_tag'],
  ['<answer>42', '42', 'answer_tag'],
  ['<answer>FINAL ANSWER: 42</answer>', '42', 'final_answer'],
  ['FINAL ANSWER: <answer>42</answer>', '42', 'final_answer'],
  ['So we get \\boxed{42}.', '42', 'boxed'],
  ['$\\boxed{\\frac{1}{2}}$', '\\frac{1}{2}', 'boxed'],
  ['\\[\\boxed{\\{1, 2\\}}\\]', '\\{1, 2\\}', 'boxed'],
  ['\\boxed{\\text{Paris}}', 'Paris', 'boxed'],
  ['\\boxed{\\boxed{42}}', '42', 'boxed'],
  ['\\boxed{1} then \\boxed{2}', '2', 'boxed'],
  ['\\boxed{ \\boxed{42}', '42', 'boxed'],
  ['FINAL ANSWER: \\boxed{42}', '42', 'final_answer'],
  ['FINAL ANSWER: $\\boxed{42}$', '42', 'final_answer'],
  ['FINAL ANSWER: $\\boxed{\\sqrt{2}}$.', '\\sqrt{2}', 'final_answer'],
  ['{"answer": "42"}', '42', 'json'],
  ['{"answer": 42}', '42', 'json'],
  ['{"answer": 1.0}', '1.0', 'json'],
  ['{"answer": 12345678901234567890}', '12345678901234567890', 'json'],
  ['{"answer": ["a", "b"]}', 'a, b', 'json'],
  ['{"answer": [1, 2.50]}', '1, 2.50', 'json'],
  ['{"answer": true}', 'true', 'json'],
  ['{"explanation": "6*7", "answer": "42"}', '42', 'json'],
  ['{"final_answer": "42"}', '42', 'json'],
  ['```json\n{"answer": "42"}\n```', '42', 'json'],
  ['Computed with Python.\n\n```json\n{"answer": "42"}\n```', '42', 'json'],
  ['{"answer": "FINAL ANSWER: 42"}', '42', 'json'],
  ['FINAL ANSWER: {"answer": 42}', '42', 'final_answer'],
  ['{"答案": "四十二"}', '四十二', 'json'],
  ['{"answer": {"x": 1}}', '{"answer": {"x": 1}}', 'whole_reply'],
  [
    '{"answer": 42}',
    '{"answer": 42}',
    'whole_reply',
    'Give the result as JSON with the key "answer".',
  ],
  [
    'FINAL ANSWER: {"answer": 42}',
    '{"answer": 42}',
    'final_answer',
    'Return a JSON object {"answer": n}.',
  ],
  ['FINAL ANSWER: ["a"]', '["a"]', 'final_answer', 'Answer with a JSON array.'],
  ['FINAL ANSWER: "a"', '"a"', 'final_answer', 'Answer with a JSON string.'],
  ['```json\n{"a": 1}\n```', '{"a": 1}', 'whole_reply', 'Answer in JSON.'],
  ['{1, 2}', '{1, 2}', 'whole_reply'],
];

const SENTENCES: readonly Row[] = [
  ['The answer is 42.', '42', 'answer_phrase'],
  ['Six times seven. The answer is **42**.', '42', 'answer_phrase'],
  ['**The answer is 42.**', '42', 'answer_phrase'],
  ['So, the final answer is: 3.14.', '3.14', 'answer_phrase'],
  ['The answer to the question is 42.', '42', 'answer_phrase'],
  ['The answer is "Hello".', 'Hello', 'answer_phrase'],
  ['The answer is U.S. Steel.', 'U.S. Steel', 'answer_phrase'],
  ['The answer is J. K. Rowling.', 'J. K. Rowling', 'answer_phrase'],
  ['The answer is Dr. Strangelove.', 'Dr. Strangelove', 'answer_phrase'],
  ['The answer is Apple Inc.', 'Apple Inc.', 'answer_phrase'],
  ['The answer is the U.S.', 'the U.S.', 'answer_phrase'],
  ['The answer is B.', 'B', 'answer_phrase'],
  ['The answer is B. Because it is the only even one.', 'B', 'answer_phrase'],
  ['The answer is 42. It is six times seven.', '42', 'answer_phrase'],
  ['The answer is:\n42', '42', 'answer_phrase'],
  ['The answer is as follows: 42', '42', 'answer_phrase'],
  ['The answer is 41. No: the answer is 42.', '42', 'answer_phrase'],
  ['FINAL ANSWER: The answer is 42.', '42', 'final_answer'],
  ['Final answer is 42', '42', 'answer_phrase'],
  ['The answer is Yahoo! Inc.', 'Yahoo! Inc.', 'answer_phrase'],
  ['The answer is Wham! The band was founded in 1981.', 'Wham!', 'answer_phrase'],
  ['The answer is http://example.org/a.html.', 'http://example.org/a.html', 'answer_phrase'],
  ['The answer is C++.', 'C++', 'answer_phrase'],
  ['The answer is 5 p.m. on Monday.', '5 p.m. on Monday', 'answer_phrase'],
  ['I think the answer is 42.', '42', 'answer_phrase'],
  ['I do not know what the answer is yet.', null, 'no_answer'],
  ['THE ANSWER IS 42', '42', 'answer_phrase'],
  ['The answer is Who Framed Roger Rabbit?', 'Who Framed Roger Rabbit?', 'answer_phrase'],
  ['The answer is in the attached file.\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['FINAL ANSWER: 42\nThe answer is 41 in the older edition.', '42', 'final_answer'],
  ['Answer: 42', '42', 'answer_label'],
  ['**Answer:** 42', '42', 'answer_label'],
  ['Question: 6*7?\nAnswer: 42', '42', 'answer_label'],
  ['## Answer\n\n42', '42', 'answer_label'],
  ['The correct answer: B', 'B', 'answer_label'],
  ['FINAL ANSWER: Answer: 42', '42', 'final_answer'],
  ['42', '42', 'whole_reply'],
  ['**42**', '42', 'whole_reply'],
  ['42.', '42', 'whole_reply'],
  ['Answer', 'Answer', 'whole_reply'],
  ['<think>maybe FINAL ANSWER: 41</think>\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['<think>maybe FINAL ANSWER: 41</think>\n42', '42', 'whole_reply'],
  ['42. This is because\nof X.', '42. This is because\nof X.', 'whole_reply'],
];

const CHINESE: readonly Row[] = [
  ['最终答案：42', '42', 'final_answer'],
  ['最终答案: 巴黎', '巴黎', 'final_answer'],
  ['最终答案是：42。', '42', 'final_answer'],
  ['最终答案为42', '42', 'final_answer'],
  ['**最终答案：** 42', '42', 'final_answer'],
  ['**最终答案**：42', '42', 'final_answer'],
  ['【最终答案】42', '42', 'final_answer'],
  ['【最终答案】：根据信息自由法', '根据信息自由法', 'final_answer'],
  ['六乘七等于42。\n\nFINAL ANSWER: 42', '42', 'final_answer'],
  ['因此，最终答案是42。', '42', 'final_answer'],
  ['最后答案：“你好”', '你好', 'final_answer'],
  ['答案：42', '42', 'answer_label'],
  ['**答案**：42', '42', 'answer_label'],
  ['答案是42。', '42', 'answer_phrase'],
  ['计算得 42。因此，答案是 42。', '42', 'answer_phrase'],
  ['这个问题的答案是3.14。', '3.14', 'answer_phrase'],
  ['正确答案是B。', 'B', 'answer_phrase'],
  ['我认为答案是42。', '42', 'answer_phrase'],
  ['综上所述，答案选B。', 'B', 'answer_phrase'],
  ['答案为：\n42', '42', 'answer_phrase'],
  ['最终答案：41\n再算一次。\n最终答案：42', '42', 'final_answer'],
  ['我会以“最终答案：”结尾。\n最终答案：42', '42', 'final_answer'],
];

const TABLES = { OTHER_FRAMES, SENTENCES, CHINESE };

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

  it('changes nothing when applied to its own result', () => {
    for (const [, answer, , question] of Object.values(TABLES).flat()) {
      if (answer === null) continue;
      expect(extractAnswer({ text: answer, question: question ?? '' }).answer).toBe(answer);
    }
  });
});
