import { describe, expect, it } from 'vitest';
import { checkQuestion, parseAskArguments } from '../../dev/cli/arguments.ts';

function parsed(...args: string[]) {
  const result = parseAskArguments(args);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function fault(...args: string[]) {
  const result = parseAskArguments(args);
  return result.ok ? 'no fault' : result.error.message;
}

describe('parseAskArguments', () => {
  it('takes a question with every option, in any order', () => {
    const args = ['--file', 'a.csv', '--json', 'How many?', '--file=b', '--follows', 'run_1'];
    expect(parsed(...args, '--model', 'm', '--no-color')).toEqual({
      question: 'How many?',
      files: ['a.csv', 'b'],
      json: true,
      follows: 'run_1',
      model: 'm',
      color: false,
      help: false,
    });
  });

  it('leaves everything optional out by default', () => {
    expect(parsed('Why?')).toEqual({
      question: 'Why?',
      files: [],
      json: false,
      follows: null,
      model: null,
      color: true,
      help: false,
    });
  });

  it('reads the question from stdin when it is -', () => {
    expect(parsed('-').question).toBeNull();
  });

  it('takes a question that begins with a dash after --', () => {
    expect(parsed('--', '-3 plus 5?').question).toBe('-3 plus 5?');
  });

  it('asks for nothing else when help is wanted', () => {
    expect(parsed('--help').help).toBe(true);
    expect(parsed('-h').help).toBe(true);
  });

  it.each([
    [['--files', 'a', 'q'], 'Unknown option --files.'],
    [['-x', 'q'], 'Unknown option -x.'],
    [['q', '--file'], '--file needs a value.'],
    [['q', '--file', '--json'], '--file needs a value.'],
    [['q', '--follows='], '--follows needs a value.'],
    [['q', '--model', ' '], '--model needs a value.'],
    [['q', '--json=yes'], '--json takes no value.'],
    [[], 'The question is missing.'],
    [['--json'], 'The question is missing.'],
    [[''], 'The question is empty.'],
    [[' \n '], 'The question is empty.'],
  ])('refuses %j', (args, message) => {
    expect(fault(...args)).toContain(message);
  });

  it('says what to do with words left over, which are mostly forgotten quotes', () => {
    expect(fault('What', 'is', 'it?')).toMatch(/put it in quotes.*"is"/);
  });
});

describe('checkQuestion', () => {
  it('trims, and counts bytes rather than characters', () => {
    expect(checkQuestion('  为什么？\n')).toEqual({ ok: true, value: '为什么？' });
    expect(checkQuestion('a'.repeat(32_768)).ok).toBe(true);
    const tooLong = checkQuestion('为'.repeat(10_923));
    expect(tooLong.ok ? '' : tooLong.error.message).toMatch(/32769 bytes.*at most 32768/);
  });
});
