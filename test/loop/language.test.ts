import { describe, expect, it } from 'vitest';
import { questionLanguage } from '../../src/loop/language.ts';

describe('questionLanguage', () => {
  it.each([
    ['What is the total of the amount column?', 'en'],
    ['Who is 王小明?', 'en'],
    ['What does 你叫什么名字 mean?', 'en'],
    ['Translate “我们今天去北京的故宫博物院参观” into English.', 'en'],
    ['How many characters has 中华人民共和国?', 'en'],
    ['In which year was 鲁迅 born', 'en'],
    ['日本の首都はどこですか', 'en'],
    ['서울의 인구는?', 'en'],
    ['Quelle est la capitale ?', 'en'],
    ['', 'en'],
    ['42 + 17', 'en'],
    ['金额列的总和是多少？', 'zh'],
    ['这个 DataFrame 的 total column 是多少', 'zh'],
    ['Transformer 论文的第一作者是谁？', 'zh'],
    ['请用 Python 计算 sales.csv 里 amount 列的 mean', 'zh'],
    ['《The Great Gatsby》的作者是谁', 'zh'],
    ['“What is the answer to life”是哪本书里的问题？', 'zh'],
    ['https://example.org/a/very/long/path/to/a/page.html 这个网页讲了什么', 'zh'],
    ['北京', 'zh'],
    ['"北京"', 'zh'],
  ])('%j is written in %s', (question, language) => {
    expect(questionLanguage(question)).toBe(language);
  });
});
