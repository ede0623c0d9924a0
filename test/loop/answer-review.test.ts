import { describe, expect, it } from 'vitest';
import { type ExtractedAnswer, extractAnswer } from '../../src/loop/answer.ts';
import { betterAnswer, formatProblem } from '../../src/loop/answer-review.ts';

const NUMBER = 'How many albums were released?';
const NAME = 'Who wrote the book?';
const LIST = 'Give a comma separated list of the cities.';
const ISO = 'On what date did it open? Use YYYY-MM-DD.';
const LONG_DATE = 'On what date did it open? Answer as Month D, YYYY.';

/** [answer, question]: right as they are, so no call is made. */
const FINE: readonly (readonly [string, string])[] = [
  ['42', NUMBER],
  ['-4.2', NUMBER],
  ['1,234', NUMBER],
  ['1234567', NUMBER],
  ['6.02e23', NUMBER],
  ['42%', 'What percentage is it? How much?'],
  ['$42.00', 'How much did it cost?'],
  ['42 km', 'How many kilometres? Include the unit.'],
  ['300 BC', 'In what year was it built?'],
  ['3.14', 'How much? Round to two decimal places.'],
  ['3.1', 'How much? Round to two decimal places.'],
  ['1.25, 12.5', 'Give a comma separated list of the two values.'],
  ['1.25, 12.5', 'What are the two values?'],
  ['1.2.3', 'What is the newest version?'],
  ['1.2.10', 'Which version fixed it? 1.2.9 did not.'],
  ['http://example.org', 'What is the URL of the page?'],
  ['https://example.org/a', 'Where can the data be found?'],
  ['https://example.org', '该项目的网址是什么？'],
  ['Albert Einstein', NAME],
  ['This Is England', 'Which film won?'],
  ['I Think I Love You', 'Which song is it?'],
  ['Maybe Tomorrow', 'Which song is it?'],
  ['The castle is open at night.', 'What sentence stands on the page?'],
  ['Paris, London, Rome', LIST],
  ['Paris', LIST],
  ['St. Petersburg, Washington, D.C.', LIST],
  ['a; b; c', 'Name them, separated by semicolons.'],
  ['Simon and Garfunkel', 'Which duo sang it?'],
  ['2020-01-02', ISO],
  ['January 2, 2020', LONG_DATE],
  ['2 January 2020', 'On what date did it open?'],
  ['2020', 'When was it opened?'],
  ['during the Tang dynasty', 'When was it built?'],
  ['Yes', 'Is it prime? Answer yes or no.'],
  ['no', 'Is it prime? Answer yes or no.'],
  ['Unknown', 'Answer yes or no, or "unknown".'],
  ['True', 'True or false: 7 is prime.'],
  ['Yes, it does', 'Does it float?'],
  ['是', '这句话正确吗？请回答是或否。'],
  ['Yes', '7 是质数吗？请回答 yes or no。'],
  ['对', '判断对错：7 是质数。'],
  ['鲁迅', '这本书的作者是谁？'],
  ['鲁迅', 'Give the Chinese name of the writer.'],
  ['a\nb\nc\nd\ne\nf', 'List them one per line.'],
  ['{"a": [1, 2]}', 'Return the result as JSON.'],
  [`${'word '.repeat(200)}end`, 'Explain how it works.'],
  ['A first paragraph.\n\nA second one.', 'Write a short essay.'],
  [Array.from({ length: 80 }, (_, index) => `item${index}`).join(', '), LIST],
  ['3/4', 'What part is it, as a fraction? How much?'],
  ['forty-two', 'How many albums, spelled out?'],
  ['CUB', 'What country had the least number of athletes in 1928? Give the IOC country code.'],
  [
    'Yoshida, Uehara',
    'Who has the number before and after his? Give Before, After, last names only.',
  ],
  ['41', 'How many papers would be wrong? Round the value up to the next integer.'],
  ['89706.00', 'What were the total sales? Express your answer in USD with two decimal places.'],
  ['北京', '销售总额最高的城市是哪个？'],
  ['東京', '日本のいちばん大きなまちはどこですか'],
  ['3, 4', 'How many are red and how many are blue?'],
];

/** [answer, question, part of the reason]: one format call is worth making. */
const WRONG: readonly (readonly [string, string, string])[] = [
  ['The answer could be 42 or 43; I am not sure', NUMBER, 'number'],
  ['forty-two', NUMBER, 'number'],
  ['42 albums', NUMBER, 'unit'],
  ['about 42', NUMBER, 'number'],
  ['€42', 'How much did it cost?', 'unit'],
  ['[42]', NUMBER, 'number'],
  ['−5', NUMBER, 'number'],
  ['42 (forty-two)', NUMBER, 'number'],
  ['3.14159', 'How much? Round to two decimal places.', '2 decimal places'],
  ['3.7', 'How many? Round to the nearest integer.', '0 decimal places'],
  ['四十二', '一共有几个人？', 'number'],
  ['42 人', '一共有几个人？', 'unit'],
  ['It might be Herbert, but I am not sure', NAME, 'hedges'],
  ['The book was written by Frank Herbert in 1965.', NAME, 'sentence'],
  ['https://en.wikipedia.org/wiki/Dune', NAME, 'web address'],
  ['x'.repeat(301), NAME, 'too long'],
  ['One paragraph.\n\nAnother paragraph.', NAME, 'paragraphs'],
  ['a\nb\nc\nd\ne', NAME, 'paragraphs'],
  ['弗兰克·赫伯特', NAME, 'language'],
  ['是', 'Is it prime? Answer yes or no.', 'language'],
  ['Paris，London', LIST, 'language'],
  ['Paris and London', LIST, 'commas'],
  ['Paris, London, and Rome', LIST, 'and'],
  ['[1, 2]', LIST, 'brackets'],
  ['"Paris", "London"', LIST, 'quotes'],
  ['Paris, London.', LIST, 'period'],
  ['Paris, London, …', LIST, 'cut short'],
  ['Paris\nLondon', LIST, 'one line'],
  ['January 2, 2020', ISO, 'YYYY-MM-DD'],
  ['2020-01-02', LONG_DATE, 'Month D, YYYY'],
  ['2020-01-02', 'What is the release date, e.g. January 2, 2020?', 'Month D, YYYY'],
  ['Yes', 'True or false: 7 is prime.', 'True or False'],
  ['True', 'Is it prime? Answer yes or no.', 'Yes or No'],
  ['Yes, because 7 has no divisors', 'Is it prime? Answer yes or no.', 'Yes or No'],
  ['Yes', '这句话正确吗？请回答是或否。', '是'],
  ['可能是鲁迅，也许是老舍', '这本书的作者是谁？', 'hedges'],
];

describe('formatProblem', () => {
  it.each(FINE)('leaves %j alone', (answer, question) => {
    expect(formatProblem({ answer, question })).toBeNull();
  });

  it.each(WRONG)('finds fault with %j', (answer, question, reason) => {
    expect(formatProblem({ answer, question })).toContain(reason);
  });

  it('asks for an answer where there is none, but not where the model said so', () => {
    expect(formatProblem({ answer: null, question: NAME, rule: 'empty' })).toContain('no answer');
    expect(formatProblem({ answer: null, question: NAME, rule: 'no_answer' })).toBeNull();
  });

  it('asks for the marker where a whole reply of prose had none', () => {
    const answer = `${'the reply goes on '.repeat(6)}`.trim();
    expect(formatProblem({ answer, question: NAME, rule: 'whole_reply' })).toContain(
      'FINAL ANSWER',
    );
    expect(
      formatProblem({ answer: 'Frank Herbert', question: NAME, rule: 'whole_reply' }),
    ).toBeNull();
  });
});

function read(text: string): ExtractedAnswer {
  return extractAnswer({ text, question: '' });
}

describe('betterAnswer', () => {
  it.each([
    ['FINAL ANSWER: about 42', 'FINAL ANSWER: 42', NUMBER, '42'],
    ['FINAL ANSWER: 42', 'FINAL ANSWER: 43', NUMBER, '42'],
    [
      'FINAL ANSWER: about 42',
      'It may be 42, but I would have to check the list again.',
      NUMBER,
      'about 42',
    ],
    ['FINAL ANSWER: 42 albums', 'FINAL ANSWER: forty-two', NUMBER, '42 albums'],
    ['FINAL ANSWER: forty-two', 'FINAL ANSWER: 42 albums', NUMBER, '42 albums'],
    ['FINAL ANSWER: about 42', '', NUMBER, 'about 42'],
    ['', 'FINAL ANSWER: 42', NUMBER, '42'],
    ['FINAL ANSWER: 42 albums', 'NO ANSWER: it is not in the file', NUMBER, '42 albums'],
    [
      'I looked at every sheet of the file but there is nothing in it about any albums at all.',
      'NO ANSWER: it is not in the file',
      NUMBER,
      null,
    ],
    ['', 'NO ANSWER: it is not in the file', NUMBER, null],
    ['FINAL ANSWER: 2020-01-02', 'FINAL ANSWER: January 2, 2020', LONG_DATE, 'January 2, 2020'],
    ['FINAL ANSWER: 2020-01-02', 'FINAL ANSWER: 2020/01/02', LONG_DATE, '2020-01-02'],
  ])('keeps the better of %j and %j', (first, second, question, answer) => {
    expect(betterAnswer(read(first), read(second), question).answer).toBe(answer);
  });

  it('returns one of the two, so that the caller knows whose explanation to keep', () => {
    const first = read('FINAL ANSWER: about 42');
    const second = read('FINAL ANSWER: 42');
    expect(betterAnswer(first, second, NUMBER)).toBe(second);
    expect(betterAnswer(second, first, NUMBER)).toBe(second);
  });
});
