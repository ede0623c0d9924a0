import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../src/loop/answer.ts';
import { askedFormat } from '../../src/loop/answer-asked.ts';
import { betterAnswer, formatProblem } from '../../src/loop/answer-review.ts';
import { questionLanguage } from '../../src/loop/language.ts';

/** Units that repeat without end in a hostile text, with what they aim at. */
const UNITS = [
  '{',
  '}',
  '[',
  '(',
  '\\boxed{',
  '\\boxed{}',
  '\\boxed{?} ',
  '\\',
  '<answer>',
  '</answer>',
  '<answer></answer>',
  '<answer ',
  '<',
  'FINAL ANSWER: ',
  'FINAL ANSWER:\n',
  'FINAL ANSWER: ?\n',
  'FINAL ANSWER: [answer] ',
  '**FINAL ANSWER:** \n',
  '"FINAL ANSWER:" ',
  'I will write FINAL ANSWER: ',
  'final answer ',
  'NO ANSWER: ',
  'Answer: ',
  'Answer:\n',
  '答案：',
  '最终答案：',
  '答案是',
  'The answer is ',
  'The answer is. ',
  'the answer to ',
  'the answer is in the file. ',
  '*',
  '**',
  '_',
  '`',
  '```\n',
  '```',
  '"',
  "'",
  "a'",
  '$',
  '$$',
  ' ',
  '\n',
  '\t',
  '\u200b',
  ' \n',
  '- \n',
  '---\n',
  '1. ',
  '- a\n',
  'a,\n',
  'a',
  'A. ',
  '.',
  '. ',
  '。',
  '…',
  '<b>',
  '</b>',
  '<think>',
  '</think>',
  '|',
  'FINAL ANSWER | ',
  '「',
  '（',
  '{"answer":',
  '{"answer": 1}',
  '\n{"answer": 1}\n',
  '\n```json\n',
  '[[',
  '是',
  '王',
  '0',
  '1,',
  '-',
  'x and ',
  'I could not find the ',
  'unknown ',
  'so I cannot tell ',
  'I ',
  '我无法',
  '从根据',
  '所以',
  '沒有',
  '因此，',
  '[answer ',
  '[your ',
  '(Format: FINAL ANSWER: [answer])\n',
  'FINAL ANSWER: is the line \n',
  'The FINAL ANSWER: marker is ',
  '> a\n',
  '> ',
  '- - ',
  '# ',
  '#',
  'a ## ',
  'Example: FINAL ANSWER: a ',
  'No Answer\n',
  '最終答案：',
  '最後答案\n',
  '［',
  'ＦＩＮＡＬ　ＡＮＳＷＥＲ：',
  'not ',
  'Unfortunately, ',
  'Since a ',
  'the paper ',
  '　',
  '"\'',
];
const HALF_MEGABYTE = 512 * 1024;
/** Far above what linear work takes on a slow machine, far below what quadratic work takes. */
const MAX_MS = 2_500;

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

describe('extractAnswer on hostile text', () => {
  it.each(UNITS)('stays linear on 1 MB of %j', (unit) => {
    const text = unit.repeat(Math.ceil((2 * HALF_MEGABYTE) / unit.length));
    expect(timed(() => extractAnswer({ text, question: '' }))).toBeLessThan(MAX_MS);
  });

  it.each(UNITS)(
    'stays linear on 512 KB of %j behind and before a marker, and finds an end',
    (unit) => {
      const noise = unit.repeat(Math.ceil(HALF_MEGABYTE / unit.length));
      expect(
        timed(() => extractAnswer({ text: `FINAL ANSWER:\n${noise}`, question: 'Write a poem.' })),
      ).toBeLessThan(MAX_MS);
      expect(
        timed(() => extractAnswer({ text: `FINAL ANSWER: ${noise}`, question: 'Answer in JSON.' })),
      ).toBeLessThan(MAX_MS);
      const found = extractAnswer({ text: `${noise}\n\nFINAL ANSWER: 42`, question: '' });
      expect(found.answer).toBe('42');
    },
  );

  it('never throws on random assemblies of these units, and its result is stable', () => {
    let seed = 20261;
    const next = (limit: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % limit;
    };
    for (let round = 0; round < 3_000; round++) {
      const text = Array.from({ length: 1 + next(12) }, () => UNITS[next(UNITS.length)] ?? '').join(
        next(2) === 0 ? '' : ' 42 ',
      );
      const found = extractAnswer({ text, question: '' });
      expect(extractAnswer({ text, question: '' })).toEqual(found);
      expect(found.answer === null || found.answer.trim() !== '').toBe(true);
    }
  });
});

describe('the review on hostile text', () => {
  it.each(UNITS)('stays linear on a question and an answer of %j', (unit) => {
    const long = unit.repeat(Math.ceil(HALF_MEGABYTE / unit.length));
    const question = long.slice(0, 32_768);
    expect(timed(() => askedFormat(question))).toBeLessThan(MAX_MS);
    expect(timed(() => questionLanguage(question))).toBeLessThan(MAX_MS);
    for (const asked of [
      'How many?',
      'What?',
      'On what date (YYYY-MM-DD)?',
      'Give a comma separated list.',
      'Yes or no?',
    ]) {
      expect(timed(() => formatProblem({ answer: long, question: asked }))).toBeLessThan(MAX_MS);
    }
    const first = extractAnswer({ text: `FINAL ANSWER: ${question}`, question: '' });
    expect(timed(() => betterAnswer(first, first, question))).toBeLessThan(MAX_MS);
  });
});
