import { describe, expect, it } from 'vitest';
import { type AskedFormat, askedFormat } from '../../src/loop/answer-asked.ts';

type Row = readonly [string, Partial<AskedFormat>];

const ROWS: readonly Row[] = [
  ['How many albums were released?', { kind: 'number', explicit: false }],
  ['What is the total of the amount column?', { kind: 'number' }],
  ['What is the mean of column b?', { kind: 'number' }],
  ['What was the average price in 2020?', { kind: 'number' }],
  ['In what year was it founded?', { kind: 'number' }],
  ['How many days lie between 2020-01-01 and 2020-03-01?', { kind: 'number', dateFormat: null }],
  [
    'How much is 3 times 4? Round to two decimal places.',
    { kind: 'number', decimals: 2, explicit: true },
  ],
  ['Give the ratio to the nearest tenth as a number', { kind: 'string' }],
  ['How many thousand hours? Round to the nearest integer.', { kind: 'number', decimals: 0 }],
  ['How much does it weigh? Include the unit.', { kind: 'number', units: true }],
  ['What is the number of pages?', { kind: 'number' }],
  ['What country had the least number of athletes in 1928?', { kind: 'string' }],
  ['Which city has the highest average price?', { kind: 'string' }],
  ['How many are red and how many are blue?', { kind: 'string' }],
  ['Given the vectors M, D, what is M-D?', { kind: 'string', dateFormat: null }],
  ['Which beach saw the first D Day landing?', { kind: 'string', dateFormat: null }],
  ['How many birds are there, in words?', { kind: 'string' }],
  ['How many are there, and who counted them?', { kind: 'string' }],
  ['What is the difference between TCP and UDP?', { kind: 'string' }],
  ['What is the meaning of life?', { kind: 'string' }],
  ['What is the phone number of the shop?', { kind: 'string' }],
  ['What is 10 in binary? How many bits?', { kind: 'string' }],
  ['Is it larger than 5? Answer yes or no.', { kind: 'yes_no', explicit: true }],
  ['Answer "Yes" or "No": is it prime?', { kind: 'yes_no', explicit: true }],
  ['Is 7 prime?', { kind: 'yes_no', explicit: false }],
  ['Is it red or blue?', { kind: 'string' }],
  ['True or false: 7 is prime.', { kind: 'true_false', explicit: true }],
  ['True/False?', { kind: 'true_false', explicit: true }],
  [
    'On what date did it open? Use YYYY-MM-DD.',
    { kind: 'date', dateFormat: 'YYYY-MM-DD', explicit: true },
  ],
  ['What date was it (MM/DD/YYYY)?', { kind: 'date', dateFormat: 'MM/DD/YYYY' }],
  ['Give the date as Month D, YYYY.', { kind: 'date', dateFormat: 'Month D, YYYY' }],
  ['Give the date in DD Month YYYY format', { kind: 'date', dateFormat: 'DD Month YYYY' }],
  [
    'What is the release date, e.g. January 2, 2020?',
    { kind: 'date', dateFormat: 'Month D, YYYY' },
  ],
  ['What is the release date in the form 2020-01-31?', { kind: 'date', dateFormat: 'YYYY-MM-DD' }],
  ['When was the bridge opened?', { kind: 'date', dateFormat: null, explicit: false }],
  ['What time was it, as HH:MM?', { kind: 'string', dateFormat: null }],
  ['Give a comma separated list of the cities.', { kind: 'list', separator: ',', explicit: true }],
  ['Name them, separated by semicolons.', { kind: 'list', separator: ';' }],
  ['Give a comma-separated list of how many each has.', { kind: 'list', separator: ',' }],
  ['List the three largest cities.', { kind: 'list', separator: null, explicit: false }],
  ['List them one per line.', { kind: 'list', open: true }],
  ['How many names are on the list of members?', { kind: 'number' }],
  ['Who wrote Dune?', { kind: 'string', open: false }],
  ['Who wrote the story about the letter?', { kind: 'string', open: false }],
  ['What is the country code of Chad?', { kind: 'string', open: false }],
  ['Explain how a transformer works.', { kind: 'string', open: true }],
  ['Why is the sky blue?', { kind: 'string', open: true }],
  ['Write a poem about spring.', { open: true }],
  ['Write a number.', { open: false }],
  ['Summarise the report in two sentences.', { open: true }],
  ['Return the result as JSON.', { json: true, open: true }],
  ['What does config.json hold under "port"?', { json: false, open: false }],
  ['Which HTML tag makes text bold?', { markup: true }],
  ['What is the first heading of index.html?', { markup: false }],
  ['金额列的总和是多少？', { kind: 'number' }],
  ['销售总额最高的城市是哪个？', { kind: 'string' }],
  ['谁的平均分最高？', { kind: 'string' }],
  ['哪一年开通的？', { kind: 'number' }],
  ['一共有几个人？', { kind: 'number' }],
  ['平均值是多少？保留两位小数。', { kind: 'number', decimals: 2 }],
  ['结果四舍五入取整数是多少？', { kind: 'number', decimals: 0 }],
  ['重量是多少？请带单位。', { kind: 'number', units: true }],
  ['这句话正确吗？请回答是或否。', { kind: 'yes_no', explicit: true }],
  ['判断对错：7 是质数。', { kind: 'true_false', explicit: true }],
  ['7 是质数吗？', { kind: 'yes_no', explicit: false }],
  ['大桥是哪一天开通的？格式为 2020年1月2日', { kind: 'date', dateFormat: 'YYYY年M月D日' }],
  ['开通日期是什么？按 YYYY-MM-DD 回答', { kind: 'date', dateFormat: 'YYYY-MM-DD' }],
  ['列出三个最大的城市，用逗号分隔。', { kind: 'list', separator: ',' }],
  ['这本书的作者是谁？', { kind: 'string', open: false }],
  ['这本书的翻译者是谁？', { kind: 'string', open: false }],
  ['请简要说明光合作用。', { open: true }],
  ['为什么天空是蓝色的？', { open: true }],
  ['用 JSON 格式输出结果', { json: true }],
  ['', { kind: 'string', explicit: false, open: false }],
];

describe('askedFormat', () => {
  it.each(ROWS)('reads the form off %j', (question, expected) => {
    expect(askedFormat(question)).toMatchObject(expected);
  });

  it('finds a wish at the end of a very long question', () => {
    const question = `${'A line of material. '.repeat(2_000)}\nHow many lines are there?`;
    expect(askedFormat(question).kind).toBe('number');
  });
});
