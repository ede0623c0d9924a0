import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../../src/loop/evidence.ts';
import { fold } from '../../src/loop/fold.ts';
import { finishedCall, journal, prepared, replied, started, use } from '../helpers/runs.ts';

const view = (question: string, ...results: [string, string, boolean?][]) =>
  fold(
    journal(
      started({ question }),
      prepared(),
      ...results.flatMap(([id, text, isError]) => [
        replied([use(id)]),
        finishedCall(id, text, { is_error: isError ?? false }),
      ]),
    ),
  );

const where = (answer: string, ...results: [string, string, boolean?][]) =>
  evidenceOf(view('What is it?', ...results), answer).map(
    ({ text, tool_use_id, place }) => `${text} | ${tool_use_id ?? place}`,
  );

describe('evidenceOf', () => {
  it.each([
    ['a number', '7995.56', 'total = 7995.56', ['7995.56 | t1']],
    ['a number with other separators', '1234.5', 'sum: 1,234.50 USD', ['1234.5 | t1']],
    ['a number that is part of another', '42', '1423, 4.2, 42nd, x42', ['42 | model_only']],
    ['a negative number', '-3', 'delta -3', ['-3 | t1']],
    ['the other sign', '-3', 'delta 3', ['-3 | model_only']],
    ['an integer beyond 2^53', '9007199254740993', '9007199254740993', ['9007199254740993 | t1']],
    ['its neighbour', '9007199254740993', '9007199254740992', ['9007199254740993 | model_only']],
    ['an ISO date', '2024-03-01', 'on 2024-03-01 it was', ['2024-03-01 | t1']],
    ['a written date', 'March 1, 2024', 'It was march 1, 2024.', ['March 1, 2024 | t1']],
    ['a Chinese date', '2024年3月1日', '日期：2024年3月1日', ['2024年3月1日 | t1']],
    ['a name', 'Marie Curie', 'by marie  curie (1903)', ['Marie Curie | t1']],
    ['a name inside a word', 'Rome', 'Romeo and Juliet', ['Rome | model_only']],
    ['a Chinese name', '居里夫人', '由居里夫人发现', ['居里夫人 | t1']],
    ['a plain word', 'photosynthesis', 'It is Photosynthesis.', ['photosynthesis | t1']],
    [
      'each part of a list',
      'North: 10, South: 20',
      'North 10\nSouth 21',
      ['North | t1', '10 | t1', 'South | t1', '20 | model_only'],
    ],
  ])('finds %s', (_, answer, result, expected) => {
    expect(where(answer, ['t1', result])).toEqual(expected);
  });

  it('names the first result and the line, not counting the wrapper', () => {
    const wrapped = '<untrusted_data source="read_file">\nname,amount\nA,12\n</untrusted_data>';
    const found = evidenceOf(view('Q?', ['t1', 'nothing'], ['t2', wrapped], ['t3', '12']), '12');
    expect(found).toEqual([{ text: '12', tool_use_id: 't2', place: 'line 2: A,12' }]);
  });

  it('says that the question itself held it', () => {
    expect(evidenceOf(view('Is it 12 or 13?'), '12')).toEqual([
      { text: '12', tool_use_id: null, place: 'question' },
    ]);
  });

  it('takes nothing from failed calls', () => {
    expect(where('12', ['t1', 'failed after 12 s', true])).toEqual(['12 | model_only']);
  });

  it('has nothing to say of an empty answer, and stays linear on long ones', () => {
    expect(where('')).toEqual([]);
    const long = Array.from({ length: 5_000 }, (_, i) => `Item ${i}`).join(', ');
    expect(where(long, ['t1', long])).toHaveLength(40);
  });
});
