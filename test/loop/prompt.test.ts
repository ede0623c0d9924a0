import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../src/loop/answer.ts';
import type { Language } from '../../src/loop/language.ts';
import {
  buildSystemPrompt,
  formatCallText,
  repeatWarningText,
  userMessage,
  warningText,
} from '../../src/loop/prompt.ts';

const GROUPS = {
  knowledge: ['rag_query'],
  files: [
    'list_files',
    'read_file',
    'grep',
    'fetch_task_files',
    'parse_excel',
    'parse_pdf',
    'parse_document',
    'image_ocr',
    'analyze_image',
    'transcribe_audio',
  ],
  search: ['web_search', 'web_page', 'wikipedia_page', 'arxiv_search', 'semantic_scholar_search'],
  computation: ['calc', 'execute_python', 'wolfram_alpha', 'lean4_verify'],
  others: ['write_file', 'citation_manager', 'load_skill', 'run_bandit_experiment'],
};
const ALL = Object.values(GROUPS).flat();
const LANGUAGES: Language[] = ['en', 'zh'];
const SPINE = ['calc', 'list_files', 'read_file', 'grep', 'write_file', 'execute_python'];

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
}

function prompt(language: Language, tools: string[], leftOut: string[] = []): string {
  return buildSystemPrompt({
    language,
    tools,
    leftOut: leftOut.map((name) => ({ name, reason: 'no key' })),
    today: '2026-01-31',
  });
}

/** Names of tools that stand in a text as words. */
function namesIn(text: string): string[] {
  return ALL.filter((name) => new RegExp(`(?<![\\w])${name}(?![\\w])`).test(text));
}

describe('buildSystemPrompt', () => {
  it.each(LANGUAGES)('gives the pinned text (%s)', (language) => {
    expect(`${prompt(language, SPINE)}\n`).toBe(fixture(`prompt-${language}.txt`));
    expect(`${prompt(language, ALL)}\n`).toBe(fixture(`prompt-${language}-all.txt`));
  });

  it.each(LANGUAGES)(
    'names every group in the order knowledge, files, search, computation (%s)',
    (language) => {
      const text = prompt(language, ALL);
      // One name of each group that stands in no other step.
      const firsts = ['rag_query', 'read_file', 'web_search', 'calc'].map((name) =>
        text.search(new RegExp(`(?<!\\w)${name}(?!\\w)`)),
      );
      expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
      expect(firsts[0]).toBeGreaterThan(0);
    },
  );

  it.each(LANGUAGES)(
    'never names a tool that is not available, whatever the set (%s)',
    (language) => {
      for (let subset = 0; subset < 4_000; subset++) {
        const bits = Math.imul(subset, 2_654_435_761) >>> 0;
        const tools = ALL.filter((_, index) => ((bits >>> (index % 32)) & 1) === 1);
        const leftOut = ALL.filter((name) => !tools.includes(name));
        const named = namesIn(prompt(language, tools, leftOut));
        expect(named.filter((name) => !tools.includes(name))).toEqual([]);
      }
    },
  );

  it.each(LANGUAGES)(
    'names every available tool but those that a domain explains (%s)',
    (language) => {
      const named = namesIn(prompt(language, ALL));
      expect(ALL.filter((name) => !named.includes(name))).toEqual(['run_bandit_experiment']);
    },
  );

  it('says that Python cannot be run where it cannot', () => {
    expect(prompt('en', ['calc', 'read_file'], ['execute_python'])).toContain(
      'Python cannot be run here',
    );
    expect(prompt('zh', ['calc', 'read_file'], ['execute_python'])).toContain('不能运行 Python');
    expect(prompt('en', ['read_file'])).toContain('Python cannot be run');
  });

  it('says what is not available by its ability, and nothing about tools it does not know', () => {
    expect(prompt('en', ['calc'], ['web_search', 'mystery_tool'])).toContain(
      'Not available in this run: searching the web. ',
    );
    expect(prompt('en', ['calc'], ['mystery_tool', 'constructor'])).not.toContain('Not available');
    expect(prompt('en', ['calc', 'web_search'], ['web_search'])).not.toContain('Not available');
  });

  it('does without the whole list of steps when there is no tool', () => {
    expect(prompt('en', [])).toContain('No tools are available');
    expect(prompt('en', [])).not.toMatch(/^1\. /m);
  });

  it('numbers the steps that are there from 1 without gaps', () => {
    expect(prompt('en', ['web_search', 'calc']).match(/^\d\. /gm)).toEqual(['1. ', '2. ']);
    expect(prompt('en', ALL).match(/^\d\. /gm)).toEqual(['1. ', '2. ', '3. ', '4. ']);
  });

  it('mentions outside services only when there are some', () => {
    expect(prompt('en', ['calc', 'mcp__notes__search'])).toContain('mcp__');
    expect(prompt('en', ['calc'])).not.toContain('mcp__');
  });

  it('ends with the hint for the kind of task', () => {
    const text = buildSystemPrompt({
      language: 'en',
      tools: ['calc'],
      leftOut: [],
      workflowHint: ' Plot it. ',
      today: '2026-01-31',
    });
    expect(text.endsWith('# For this kind of task\nPlot it.')).toBe(true);
  });

  it.each(LANGUAGES)('holds templates that are never read as an answer (%s)', (language) => {
    const found = extractAnswer({ text: prompt(language, ALL), question: '' });
    expect(found).toMatchObject({ answer: null, rule: 'placeholder' });
  });
});

const FILE = { path: 'data/sales.csv', object: 'u/local/f1', bytes: 1234, media_type: 'text/csv' };

describe('userMessage', () => {
  it('is the question alone when there is nothing else', () => {
    const question = '  What is\nthe total?  ';
    expect(userMessage({ question, files: [], context: [], language: 'en' })).toBe(question);
  });

  it('lists the files below the question, one a line', () => {
    const files = [FILE, { ...FILE, path: '数据/表 (2).csv' }];
    expect(userMessage({ question: 'Total?', files, context: [], language: 'en' })).toBe(
      'Total?\n\nFiles attached to this run:\n- data/sales.csv (1234 bytes, text/csv)\n- 数据/表 (2).csv (1234 bytes, text/csv)',
    );
    expect(userMessage({ question: '总和？', files: [FILE], context: [], language: 'zh' })).toBe(
      '总和？\n\n本次任务的附件：\n- data/sales.csv (1234 bytes, text/csv)',
    );
  });

  it('puts earlier questions after the question and the files', () => {
    const context = [
      { question: 'Who wrote Dune?', answer: 'Frank Herbert' },
      { question: 'And when?', answer: null },
    ];
    expect(userMessage({ question: 'Where?', files: [FILE], context, language: 'en' })).toBe(
      'Where?\n\nFiles attached to this run:\n- data/sales.csv (1234 bytes, text/csv)\n\nEarlier in this conversation:\nQuestion: Who wrote Dune?\nAnswer: Frank Herbert\nQuestion: And when?\nAnswer: (none was found)',
    );
  });

  it('keeps a name with line breaks on its line', () => {
    const files = [{ ...FILE, path: 'a\n- b.csv (1 bytes, text/csv)\u2028' }];
    const lines = userMessage({ question: 'Total?', files, context: [], language: 'en' }).split(
      /[\n\u2028]/,
    );
    expect(lines).toHaveLength(4);
  });
});

describe('warningText', () => {
  it('announces the last turn with tools, or how many are left', () => {
    expect(warningText('last_tools', { language: 'en', turnsLeft: 2 })).toContain(
      'last turn with tools',
    );
    expect(warningText('last_tools', { language: 'en', turnsLeft: 3 })).toContain(
      'Only 3 turns are left',
    );
    expect(warningText('last_tools', { language: 'zh', turnsLeft: 2 })).toContain('最后一轮');
  });

  it.each(LANGUAGES)(
    'asks for the marker on the last turn, with templates that are no answer (%s)',
    (language) => {
      const text = warningText('last_turn', { language, turnsLeft: 1 });
      expect(text).toContain('\nFINAL ANSWER: [');
      expect(text).toContain('\nNO ANSWER: [');
      expect(extractAnswer({ text, question: '' }).answer).toBeNull();
    },
  );
});

describe('formatCallText', () => {
  it('repeats the question, what it asks for, and what was wrong', () => {
    const question = 'What is the mean of b, to two decimal places?';
    expect(
      formatCallText({
        question,
        language: 'en',
        problem: 'the question asks for 2 decimal places',
      }),
    ).toBe(fixture('format-call-en.txt').trimEnd());
    expect(
      formatCallText({
        question: 'b 列的平均值是多少？保留两位小数。',
        language: 'zh',
        problem: 'x',
      }),
    ).toBe(fixture('format-call-zh.txt').trimEnd());
  });

  it.each([
    ['How many are there?', 'a number in digits, without thousands commas and without a unit'],
    ['How many? Include the unit.', 'with its unit'],
    ['Give a semicolon separated list.', 'separated by semicolons'],
    ['On what date? Use DD/MM/YYYY.', 'a date written as DD/MM/YYYY'],
    ['True or false: 7 is prime.', 'True or False'],
    ['Yes or no?', 'Yes or No'],
    ['Who wrote Dune?', 'as few words as possible'],
    ['Return JSON: return a JSON object.', 'JSON'],
    ['Write a poem.', 'the form that the question describes'],
  ])('names the form that %j asks for', (question, form) => {
    expect(formatCallText({ question, language: 'en' })).toContain(form);
  });

  it('allows an answer below the marker only where several lines were asked for', () => {
    expect(formatCallText({ question: 'Write a poem.', language: 'en' })).toContain(
      'below that line',
    );
    expect(formatCallText({ question: 'Who?', language: 'en' })).not.toContain('below that line');
  });

  it('shortens a very long question in the middle, between whole characters', () => {
    const text = formatCallText({ question: `Start ${'😀'.repeat(8_000)} end`, language: 'en' });
    expect(text.length).toBeLessThan(6_000);
    expect(text).toContain('Start ');
    expect(text).toContain(' end\n');
    expect(text.isWellFormed()).toBe(true);
  });
});

describe('repeatWarningText', () => {
  it.each(['same_call', 'same_result', 'alternating'] as const)(
    'names tools and count (%s)',
    (kind) => {
      for (const language of LANGUAGES) {
        const text = repeatWarningText({
          language,
          kind,
          tools: ['grep', 'read_file', 'grep'],
          count: 3,
        });
        expect(namesIn(text)).toEqual(['read_file', 'grep']);
        expect(text).toContain('3');
      }
    },
  );
});
