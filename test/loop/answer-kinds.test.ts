import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../src/loop/answer.ts';

/** [final text, answer, question?] */
type Row = readonly [string, string | null, string?];

const CITY = 'Which city hosted the conference?';

/** Behind an answer, all of these only talk about the form. */
const REMARKS = [
  '(Format used: FINAL ANSWER: [YOUR FINAL ANSWER])',
  '[Template: FINAL ANSWER: <value>]',
  '(The template was FINAL ANSWER: [answer].)',
  '*(Format: FINAL ANSWER: [YOUR FINAL ANSWER])*',
  '(Format used: **FINAL ANSWER: [YOUR FINAL ANSWER]**)',
  'Format: `FINAL ANSWER: [YOUR FINAL ANSWER]`',
  'FINAL ANSWER: [YOUR FINAL ANSWER] was the requested form.',
  'FINAL ANSWER: {your answer here}',
  'FINAL ANSWER: [the city name]',
  'FINAL ANSWER: <...>',
  '（格式：最终答案：[你的最终答案]）',
  '（格式：FINAL ANSWER: [答案]）',
  '最終答案：【您的答案】',
  'The FINAL ANSWER: marker is followed by the city only.',
  'This FINAL ANSWER: line holds the city.',
  'FINAL ANSWER: is the prefix that was asked for.',
  '**FINAL ANSWER:** is the marker you requested.',
  'FINAL ANSWER: stands on its own line, as the instructions require.',
  'FINAL ANSWER: must be followed by the bare value, as requested.',
  'FINAL ANSWER: as requested.',
  'FINAL ANSWER: see above.',
  'NO ANSWER: was not needed here.',
  'NO ANSWER: does not apply.',
  'NO ANSWER: [reason in one sentence]',
  '最终答案：这个标记后面只写城市。',
  '最终答案：是题目要求的前缀。',
  'Example: FINAL ANSWER: Cusco',
];

const TALK: readonly Row[] = [
  ...REMARKS.flatMap((remark): Row[] => [
    [`The proceedings name it.\n\nFINAL ANSWER: Lima\n\n${remark}`, 'Lima', CITY],
    [`FINAL ANSWER: Lima\n${remark}`, 'Lima', CITY],
    [`**FINAL ANSWER:** Lima\n\n${remark}\n`, 'Lima', CITY],
  ]),
  ['FINAL ANSWER: Lima (Format used: FINAL ANSWER: [YOUR FINAL ANSWER])', 'Lima', CITY],
  [
    'FINAL ANSWER:\nRoses are red\n\nViolets are blue\n\n(Format used: FINAL ANSWER: [YOUR FINAL ANSWER])',
    'Roses are red\n\nViolets are blue',
    'Write a poem.',
  ],
  ['(Format used: FINAL ANSWER: [YOUR FINAL ANSWER])', null],
  ['The FINAL ANSWER: marker is followed by the city only.', null],
  ['FINAL ANSWER: label on the bottle', 'label on the bottle', 'Where is the hint?'],
  ['FINAL ANSWER: line 5', 'line 5'],
  ['FINAL ANSWER: is', 'is', 'Which word is missing?'],
  ['FINAL ANSWER: Line of Duty', 'Line of Duty'],
  ['FINAL ANSWER: (number) of primes', '(number) of primes'],
  ['FINAL ANSWER: [name]', '[name]', 'Which field of the form letter is empty?'],
  ['FINAL ANSWER: <list>', '<list>', 'Which C++ header must be included?'],
  ['FINAL ANSWER: {}', '{}'],
  ['FINAL ANSWER: 这个', '这个'],
  ['最终答案：标记', '标记'],
];

const ADMISSIONS = [
  'I was unable to find the answer.',
  'I could not find the host city.',
  "I couldn't find the host city in the proceedings.",
  'I was not able to open the file.',
  'I am unable to answer this question.',
  'Unfortunately, I could not open the attachment.',
  'After three searches, I could not identify the city.',
  'I do not know.',
  "I don't know the answer.",
  'I have no idea.',
  'Sorry, I cannot answer this.',
  'I’m afraid I couldn’t find it.',
  'I failed to locate the city.',
  'We could not determine which city it was.',
  'I have not found the answer.',
  'I cannot tell.',
  'I found no information about the conference.',
  'There is no information about the host city.',
  'No information was found.',
  'We have not been able to determine the city.',
  'It cannot be determined from the data.',
  'It is not stated in the paper.',
  'The answer could not be found.',
  'The answer cannot be determined from the file.',
  'The answer is not stated in the paper.',
  'The answer is not known.',
  'The answer is unknown, because the file is empty.',
  'The answer is unknown because the file is empty.',
  'The answer is unclear.',
  'The answer is unavailable.',
  'The answer is still unknown to me.',
  'The final answer is not available.',
  'The correct answer was not found.',
  'The answer to this question is not given in the paper.',
  'The host city is not stated in the proceedings.',
  'The host city could not be found.',
  'The host city is unknown.',
  'The paper does not mention the host city.',
  'None of the sources name the city, so I cannot tell.',
  'The file could not be opened.',
  'The answer is probably in the appendix, but I could not open it, so I cannot tell.',
  'The answer is either Lima or Cusco, so I cannot tell.',
  'I was unable to find the answer. The catalogue timed out on every attempt.',
  'The page did not load. The answer could not be found.',
  '我无法找到答案。',
  '我無法找到答案。',
  '我没有找到答案。',
  '我沒有找到答案。',
  '我找不到主办城市。',
  '我找不到主辦城市。',
  '很遗憾，未能找到相关信息。',
  '很遺憾，未能找到相關資訊。',
  '我不知道。',
  '答案未知。',
  '答案不详。',
  '答案不詳。',
  '答案是未知的，因为文件是空的。',
  '答案是未知的，因為檔案是空的。',
  '该问题的答案无法确定。',
  '該問題的答案無法確定。',
  '文中没有给出答案。',
  '論文中沒有說明主辦城市。',
  '信息不足，无法回答。',
  '資訊不足，無法回答。',
  '答案可能在第二页，但我打不开文件，所以无法确定。',
  '答案可能在第二頁，但我打不開檔案，所以無法確定。',
  '没有找到相关信息。',
  '目前無法判斷。',
];

const MARKED_ADMISSIONS = [
  'Unknown, because the file is empty',
  'I could not find the host city.',
  'The answer is not stated in the paper.',
  'Not stated in the paper',
  'The host city could not be found.',
  'Cannot be determined from the data',
  '無法確定',
  '無法獲取答案',
  '找不到答案',
  '答案未知',
  '未知，因为文件打不开',
];

/** Real answers with such words, each with its question. */
const NO_ADMISSIONS: readonly Row[] = [
  ['FINAL ANSWER: I cannot tell a lie', 'I cannot tell a lie', 'Which sentence is quoted?'],
  ["FINAL ANSWER: I Can't Tell You Why", "I Can't Tell You Why", 'Which Eagles song is it?'],
  ['FINAL ANSWER: Unknown Pleasures', 'Unknown Pleasures', 'Which album is it?'],
  ['The answer is Unknown Pleasures.', 'Unknown Pleasures', 'Which album is it?'],
  ['FINAL ANSWER: Not Found', 'Not Found', 'Which status text belongs to 404?'],
  ['FINAL ANSWER: Unable to connect', 'Unable to connect', 'What is in the log?'],
  ['FINAL ANSWER: Not in Nottingham', 'Not in Nottingham', 'Which song is it?'],
  [
    'FINAL ANSWER: I could not find the key.',
    'I could not find the key.',
    'Which sentence does the guard speak?',
  ],
  ['I cannot find the key.', 'I cannot find the key.', 'Translate into English: 我找不到钥匙。'],
  ["FINAL ANSWER: I don't know", "I don't know", "What does 'no lo sé' mean?"],
  [
    'FINAL ANSWER: The file could not be opened.',
    'The file could not be opened.',
    'Which error message does the script print?',
  ],
  [
    'FINAL ANSWER: The sample size is not stated',
    'The sample size is not stated',
    'What is wrong with the abstract?',
  ],
  [
    'I could not find the proceedings, but the website names Lima.',
    'I could not find the proceedings, but the website names Lima.',
    CITY,
  ],
  ['The answer is 42, but I could not confirm it.', '42, but I could not confirm it'],
  ['FINAL ANSWER: Nothing was found', 'Nothing was found'],
  ['FINAL ANSWER: Unclear', 'Unclear', 'Answer Yes, No or Unclear.'],
  ['FINAL ANSWER: Unknown', 'Unknown', 'What does the register give as the birthplace?'],
  ['FINAL ANSWER: Unknown', null, CITY],
  ['I could not compute the mean.', null, 'What is the mean of column B?'],
  ['I could not find the book.', null, 'Which book did she write in 1911?'],
  ['FINAL ANSWER: N/A', null, 'What is the mean of the values in the file?'],
  ['The answer is 42. I could not confirm it elsewhere.', '42'],
  ['The answer is Not Without My Daughter.', 'Not Without My Daughter', 'Which film?'],
  ['I Could Not Ask for More', 'I Could Not Ask for More', 'Which song is it?'],
  ['The author could not be identified', null, 'Who is the author?'],
  ['The moon is unknown territory', 'The moon is unknown territory', 'What did he claim?'],
  ['Because the door was locked', 'Because the door was locked', 'What was the cause?'],
  ['No information is lost', 'No information is lost', 'What does the theorem say?'],
  ['FINAL ANSWER: 我不知道风是在哪一个方向吹', '我不知道风是在哪一个方向吹', '这首诗叫什么？'],
  ['FINAL ANSWER: 没有', '没有', '有没有重复？'],
  ['FINAL ANSWER: 未知数', '未知数', 'x 叫什么？'],
  ['FINAL ANSWER: 无法无天', '无法无天', '成语是什么？'],
  ['FINAL ANSWER: 無法觸碰', '無法觸碰', '哪一首？'],
  ['FINAL ANSWER: 找不到北', '找不到北', '歇后语的后半句是什么？'],
  ['FINAL ANSWER: 不确定性原理', '不确定性原理', '海森堡提出了什么？'],
  ['FINAL ANSWER: No Answer', 'No Answer', 'Which album did ELO release?'],
  ['FINAL ANSWER:\nNo Answer', 'No Answer', 'Which album did ELO release?'],
  ['No Answer', 'No Answer', 'Which album did ELO release?'],
  ['FINAL ANSWER: "No Answer"', 'No Answer', 'What is the title?'],
  ['FINAL ANSWER: No Answer', null, CITY],
  ['FINAL ANSWER: NO ANSWER', null, 'Which album did ELO release?'],
  ['FINAL ANSWER: no answer', null, 'Which album did ELO release?'],
  ['NO ANSWER: the sleeve is missing', null, 'Which album did ELO release?'],
  ['No answer: the sleeve is missing', null, 'Which album did ELO release?'],
];

const TRADITIONAL: readonly Row[] = [
  ['最終答案：東京', '東京'],
  ['最終答案: 東京', '東京'],
  ['最終答案﹕東京', '東京'],
  ['最終答案為東京', '東京'],
  ['最終答案為：東京', '東京'],
  ['**最終答案：** 東京', '東京'],
  ['【最終答案】東京', '東京'],
  ['［最終答案］東京', '東京'],
  ['## 最終答案\n\n東京', '東京'],
  ['最終答案：\n東京', '東京'],
  ['最後答案：「東京」', '東京'],
  ['答案：東京', '東京'],
  ['正確答案：東京', '東京'],
  ['這個問題的答案：東京', '東京'],
  ['正確答案是東京。', '東京'],
  ['綜上所述，答案為東京。', '東京'],
  ['因此，這個問題的答案應該是東京。', '東京'],
  ['本題的答案選B。', 'B'],
  ['我認為答案是東京。', '東京'],
  ['我會以「最終答案：」結尾。\n最終答案：東京', '東京'],
  ['最終答案：大阪\n再查一次。\n最終答案：東京', '東京'],
  ['ＦＩＮＡＬ　ＡＮＳＷＥＲ：東京', '東京'],
  ['FINAL　ANSWER：東京', '東京'],
  ['最终答案　：　東京', '東京'],
  ['最终答案＝42', '42'],
  ['無法回答：檔案打不開', null],
  ['無答案：檔案打不開', null],
  ['{"最終答案": "東京"}', '東京'],
  ['最終答案：答案之書', '答案之書'],
  ['最終答案：為人民服務', '為人民服務'],
];

/** [block below a lone marker, answer, question?] */
const BLOCKS: readonly Row[] = [
  ['* **Lima**', 'Lima'],
  ['- Lima', 'Lima'],
  ['+ Lima', 'Lima'],
  ['• Lima', 'Lima'],
  ['### Lima', 'Lima'],
  ['# Lima', 'Lima'],
  ['### **Lima** ###', 'Lima'],
  ['> Lima', 'Lima'],
  ['> **Lima**', 'Lima'],
  ['> - Lima', 'Lima'],
  ['- "Lima"', 'Lima'],
  ['- `__init__`', '__init__'],
  ['- 42', '42'],
  ['* 42', '42'],
  ['- -5', '-5'],
  ['- C#', 'C#'],
  ['> The lamp is out,\n> the door is wide.', 'The lamp is out,\nthe door is wide.'],
  ['- Lima\n- Cusco', '- Lima\n- Cusco'],
  ['-5', '-5'],
  ['+5', '+5'],
  ['+ 5', '+ 5'],
  ['> 5', '> 5'],
  ['>=3.8', '>=3.8'],
  ['>>> print(1)', '>>> print(1)'],
  ['1. FC Nürnberg', '1. FC Nürnberg'],
  ['#FF5733', '#FF5733'],
  ['*args, **kwargs', '*args, **kwargs'],
  ['*.log', '*.log'],
  ['- x + 1', '- x + 1'],
  ['-', '-', 'Which character separates the parts?'],
  ['#', '#', 'Which character starts a comment?'],
  ['* *', '* *', 'Which symbols?'],
  ['# increments x', '# increments x', 'Which comment stands in line 3?'],
];

function check([text, answer, question]: Row): void {
  expect(extractAnswer({ text, question: question ?? '' }).answer).toBe(answer);
}

const rows = (table: readonly Row[]) => table.map((row) => [row[0], row] as const);

describe('extractAnswer', () => {
  it.each(rows(TALK))('is not misled by talk of the marker: %j', (_text, row) => check(row));

  it.each(ADMISSIONS)('takes an admission for what it is: %s', (text) => {
    expect(extractAnswer({ text, question: CITY })).toMatchObject({
      answer: null,
      rule: 'no_answer',
    });
  });

  it.each(ADMISSIONS.filter((text) => /answer|答案/i.test(text)))(
    'takes words about the answer itself for an admission where a line is asked for: %s',
    (text) => {
      expect(extractAnswer({ text, question: 'Which line is quoted?' }).answer).toBe(null);
    },
  );

  it.each(MARKED_ADMISSIONS)('takes an admission behind the marker for what it is: %s', (words) => {
    const text = `I looked at both pages.\n\nFINAL ANSWER: ${words}`;
    expect(extractAnswer({ text, question: CITY })).toMatchObject({
      answer: null,
      rule: 'no_answer',
    });
  });

  it.each(rows(NO_ADMISSIONS))('leaves an answer that looks like one: %j', (_text, row) =>
    check(row),
  );

  it.each(rows(TRADITIONAL))('reads traditional and full-width markers: %j', (_text, row) =>
    check(row),
  );

  describe.each(['FINAL ANSWER:', '**FINAL ANSWER:**', '## Final Answer', 'Answer:', '最终答案：'])(
    'below %s',
    (marker) => {
      it.each(rows(BLOCKS))(
        'takes the marks of one block off: %j',
        (block, [, answer, question]) => {
          check([`The page says so.\n\n${marker}\n${block}\n`, answer, question]);
          check([`The page says so.\n\n${marker}\n\n${block}\n\nThat is all.`, answer, question]);
        },
      );
    },
  );

  it('changes nothing when applied to its own result', () => {
    for (const [, answer, question] of [...TALK, ...NO_ADMISSIONS, ...TRADITIONAL, ...BLOCKS]) {
      if (answer === null) continue;
      expect(extractAnswer({ text: answer, question: question ?? '' }).answer).toBe(answer);
    }
  });
});
