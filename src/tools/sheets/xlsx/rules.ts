/**
 * Conditional formats of a sheet, in words. They colour cells by their values, which no cell's own
 * style shows: a reader of colours must at least hear of them.
 */
import type { SheetTail } from '../book.ts';
import type { XmlAttributes } from '../xml.ts';

const MAX_RULES = 1_000;
const MAX_FORMULA_CHARS = 300;

const OPERATORS: Readonly<Record<string, string>> = {
  lessThan: '<',
  lessThanOrEqual: '≤',
  equal: '=',
  notEqual: '≠',
  greaterThanOrEqual: '≥',
  greaterThan: '>',
};

/** Words for the kinds that have no formula worth showing. */
const KINDS: Readonly<Record<string, string>> = {
  colorScale: 'a colour scale by value',
  dataBar: 'bars by value',
  iconSet: 'icons by value',
  duplicateValues: 'values that occur more than once',
  uniqueValues: 'values that occur once',
  containsBlanks: 'empty cells',
  notContainsBlanks: 'cells that are not empty',
  containsErrors: 'errors',
  notContainsErrors: 'cells without an error',
};

export interface RuleReader {
  open(name: string, attributes: XmlAttributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** Takes the tags of `conditionalFormatting` and adds to the tail. */
export function createRuleReader(tail: SheetTail): RuleReader {
  let range = '';
  let rule: XmlAttributes | null = null;
  let formulas: string[] = [];
  let inFormula = false;
  return {
    open(name, attributes) {
      if (name === 'conditionalFormatting') range = (attributes.sqref ?? '').slice(0, 200);
      else if (name === 'cfRule') {
        rule = attributes;
        formulas = [];
      } else if (name === 'formula' && rule !== null) {
        inFormula = true;
        formulas.push('');
      }
    },
    text(text) {
      if (inFormula) formulas.push((formulas.pop() ?? '') + text.slice(0, MAX_FORMULA_CHARS));
    },
    close(name) {
      if (name === 'formula') inFormula = false;
      else if (name === 'cfRule' && rule !== null) {
        if (tail.rules.length < MAX_RULES)
          tail.rules.push({ range, rule: describe(rule, formulas) });
        rule = null;
      }
    },
  };
}

function describe(rule: XmlAttributes, formulas: readonly string[]): string {
  const { type = '', operator = '', text, rank, percent, bottom, aboveAverage } = rule;
  const [first = '', second = ''] = formulas;
  if (type === 'cellIs') {
    if (operator === 'between') return `cells between ${first} and ${second}`;
    if (operator === 'notBetween') return `cells not between ${first} and ${second}`;
    return `cells ${OPERATORS[operator] ?? operator} ${first}`;
  }
  if (type === 'top10') {
    return `the ${bottom === '1' ? 'lowest' : 'highest'} ${rank ?? 10}${percent === '1' ? ' %' : ''}`;
  }
  if (type === 'aboveAverage') return `cells ${aboveAverage === '0' ? 'below' : 'above'} average`;
  if (text !== undefined) return `${type} "${text.slice(0, 100)}"`;
  const known = KINDS[type];
  if (known !== undefined) return known;
  return first === '' ? type : `where ${first} holds`;
}
