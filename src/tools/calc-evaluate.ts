/**
 * Syntax tree → value, on a meter: every operation pays steps, so no expression of the allowed
 * length takes longer than about a second (a Worker's clock stands still while it computes, so
 * time itself cannot be the limit). Loaded on first use: it brings decimal.js.
 */
import { CONSTANTS, callFunction } from './calc-functions.ts';
import type { Num } from './calc-numbers.ts';
import * as num from './calc-numbers.ts';
import { type CalcNode, refuse } from './calc-parse.ts';
import * as exact from './calc-rational.ts';
import { digitBound, terminatingDecimal } from './calc-rational.ts';

export type CalcValue = Num | boolean | Num[];

const MAX_STEPS = 300_000;
/** Longest range such as 1:1000. */
const MAX_RANGE = 10_000;
const SHOWN_DIGITS = 30;
/** Decimals of a terminating fraction that are written out. */
const MAX_DECIMALS = 60;

/** The value of the last statement. Throws StrideError invalid_input with a sentence. */
export function evaluateCalc(statements: CalcNode[]): CalcValue {
  const names = new Map<string, CalcValue>();
  let steps = 0;
  function meter(spent: number): void {
    steps += spent;
    if (steps > MAX_STEPS)
      throw refuse('The calculation is too long for calc; use execute_python.');
  }

  function evaluate(node: CalcNode): CalcValue {
    meter(1);
    switch (node.kind) {
      case 'number':
        return num.settle(exact.parseDecimal(node.text));
      case 'name':
        return lookUp(node.name, names);
      case 'unary': {
        if (node.operator === 'not') return !toBoolean(evaluate(node.operand));
        const operand = toNumber(evaluate(node.operand));
        return node.operator === '-' ? num.negate(operand) : operand;
      }
      case 'postfix': {
        const operand = toNumber(evaluate(node.operand));
        if (node.operator === '!') return callFunction('factorial', [operand], meter);
        return num.divide(operand, exact.integer(100));
      }
      case 'list':
        return evaluateAll(node.items);
      case 'call':
        return callFunction(node.name, evaluateAll(node.args), meter);
      case 'assign': {
        const value = evaluate(node.value);
        names.set(node.name, value);
        return value;
      }
      case 'binary':
        return evaluateBinary(node.operator, evaluate(node.left), evaluate(node.right));
    }
  }

  /** Lists inside lists are flat. Paid for before they are joined: x = [x, x] doubles each time. */
  function evaluateAll(nodes: CalcNode[]): Num[] {
    return nodes.flatMap((item) => {
      const values = toNumbers(evaluate(item));
      meter(values.length);
      return values;
    });
  }

  function evaluateBinary(operator: string, left: CalcValue, right: CalcValue): CalcValue {
    if (operator === 'and') return toBoolean(left) && toBoolean(right);
    if (operator === 'or') return toBoolean(left) || toBoolean(right);
    const [a, b] = [toNumber(left), toNumber(right)];
    // Multiplying long integers is the dearest thing here.
    meter(num.cost(a) + num.cost(b));
    switch (operator) {
      case '+':
        return num.add(a, b);
      case '-':
        return num.subtract(a, b);
      case '*':
        return num.multiply(a, b);
      case '/':
        return num.divide(a, b);
      case '//':
        return num.floorDivide(a, b);
      case '%':
      case 'mod':
        return num.modulo(a, b);
      case '^': {
        const result = num.power(a, b);
        meter(num.cost(result));
        return result;
      }
      case ':':
        return range(a, b, meter);
      default:
        return compareBy(operator, num.compare(a, b));
    }
  }

  let result: CalcValue = false;
  for (const statement of statements) result = evaluate(statement);
  return result;
}

function lookUp(name: string, names: ReadonlyMap<string, CalcValue>): CalcValue {
  if (name === 'true' || name === 'false') return name === 'true';
  const value = names.get(name) ?? CONSTANTS.get(name) ?? CONSTANTS.get(name.toLowerCase());
  if (value !== undefined) return value;
  throw refuse(
    `The name "${name.slice(0, 40)}" is not known; set it first (x = 3; x * 2) or use pi, e, tau, phi. Units and complex numbers are not supported.`,
  );
}

function range(from: Num, to: Num, meter: (steps: number) => void): Num[] {
  if (!num.isInteger(from) || !num.isInteger(to))
    throw refuse('A range such as 1:10 needs integers.');
  const length = to.n - from.n + 1n;
  if (length > BigInt(MAX_RANGE)) {
    throw refuse(`A range holds at most ${MAX_RANGE} numbers; use execute_python for more.`);
  }
  meter(Math.max(0, Number(length)));
  return Array.from({ length: Math.max(0, Number(length)) }, (_, index) =>
    exact.integer(from.n + BigInt(index)),
  );
}

function compareBy(operator: string, order: number): boolean {
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '>':
      return order > 0;
    case '<=':
      return order <= 0;
    default:
      return order >= 0;
  }
}

function toNumber(value: CalcValue): Num {
  if (Array.isArray(value)) {
    throw refuse(
      'Lists go into functions such as sum and mean only; use execute_python to compute with lists.',
    );
  }
  if (typeof value === 'boolean')
    throw refuse('true and false are not numbers; compare inside the condition only.');
  return value;
}

function toNumbers(value: CalcValue): Num[] {
  return Array.isArray(value) ? value : [toNumber(value)];
}

function toBoolean(value: CalcValue): boolean {
  if (typeof value === 'boolean') return value;
  throw refuse('and, or and not take comparisons, for example 1 < 2 and 2 < 3.');
}

/** A value in words: `text` alone when exact; `exact` null for what is not a number. */
export interface CalcText {
  text: string;
  rounded: boolean;
  /** `n/d` of a rounded display whose value is exact. */
  fraction: string | null;
}

export function formatCalc(value: CalcValue): CalcText {
  if (typeof value === 'boolean') return { text: String(value), rounded: false, fraction: null };
  if (!Array.isArray(value)) return formatNumber(value);
  const items = value.map(formatNumber);
  return {
    text: `[${items.map(({ text }) => text).join(', ')}]`,
    rounded: items.some((item) => item.rounded),
    fraction: null,
  };
}

function formatNumber(a: Num): CalcText {
  if (!a.exact) return { text: plainDecimal(a), rounded: true, fraction: null };
  const text = a.d === 1n ? a.n.toString() : terminatingDecimal(a, MAX_DECIMALS);
  if (text !== null) return { text, rounded: false, fraction: null };
  const shown = plainDecimal(a);
  if (exact.compare(exact.parseDecimal(shown), a) === 0)
    return { text: shown, rounded: false, fraction: null };
  const isShort = digitBound(a.n) + digitBound(a.d) < 60;
  return { text: shown, rounded: true, fraction: isShort ? `${a.n}/${a.d}` : null };
}

/** 30 significant digits, without an exponent where that stays readable. */
function plainDecimal(a: Num): string {
  const value = num.toDecimal(a).toSignificantDigits(SHOWN_DIGITS);
  if (value.isZero()) return '0';
  const isPlain = value.e >= -10 && value.e < SHOWN_DIGITS;
  return isPlain ? value.toFixed() : value.toExponential().replace('e+', 'e');
}
