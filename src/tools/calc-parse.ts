/**
 * Arithmetic text → syntax tree, by precedence climbing. What can be read in two ways is refused
 * with both readings (`100 + 3%`, `2 pi`, `3,14`), never guessed. No evaluation, no names looked up.
 */
import { StrideError } from '../errors.ts';

export type CalcNode =
  | { kind: 'number'; text: string }
  | { kind: 'name'; name: string }
  | { kind: 'unary'; operator: '-' | '+' | 'not'; operand: CalcNode }
  | { kind: 'postfix'; operator: '!' | '%'; operand: CalcNode }
  | { kind: 'binary'; operator: string; left: CalcNode; right: CalcNode }
  | { kind: 'call'; name: string; args: CalcNode[] }
  | { kind: 'list'; items: CalcNode[] }
  | { kind: 'assign'; name: string; value: CalcNode };

interface Token {
  kind: 'number' | 'name' | 'operator' | 'end';
  text: string;
  /** White space stood before it. */
  spaced: boolean;
}

const MAX_DEPTH = 100;
const MAX_EXPONENT_DIGITS = 4;

const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['or', 1],
  ['and', 2],
  ['==', 3],
  ['!=', 3],
  ['<', 3],
  ['>', 3],
  ['<=', 3],
  ['>=', 3],
  [':', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['//', 6],
  ['%', 6],
  ['mod', 6],
  ['of', 6],
]);

export function refuse(message: string): StrideError {
  return new StrideError('invalid_input', message);
}

/** The statements of an expression, at least one. Throws StrideError invalid_input. */
export function parseCalc(source: string): CalcNode[] {
  const tokens = tokenize(source);
  let at = 0;
  let depth = 0;
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? { kind: 'end', text: '', spaced: false };
  const is = (text: string, ahead = 0) =>
    peek(ahead).kind === 'operator' && peek(ahead).text === text;

  function take(text: string): boolean {
    if (!is(text)) return false;
    at++;
    return true;
  }

  function expect(text: string, where: string): void {
    if (take(text)) return;
    throw refuse(`Expected "${text}" ${where}, got ${name(peek())}.`);
  }

  /** Guards the stack: every recursion passes here. */
  function nested<T>(parse: () => T): T {
    if (++depth > MAX_DEPTH)
      throw refuse(`The expression is nested deeper than ${MAX_DEPTH}; split it up.`);
    const result = parse();
    depth--;
    return result;
  }

  function binary(least: number): CalcNode {
    let left = unary();
    for (;;) {
      const operator = peek().text;
      const precedence = peek().kind === 'end' ? undefined : PRECEDENCE.get(operator);
      if (precedence === undefined || precedence < least) return left;
      at++;
      const right = nested(() => binary(precedence + 1));
      if (precedence === 3 && PRECEDENCE.get(peek().text) === 3) {
        throw refuse('Comparisons cannot be chained; join two with "and".');
      }
      left = join(operator, left, right);
    }
  }

  function unary(): CalcNode {
    const { kind, text } = peek();
    if (
      (kind === 'operator' && (text === '-' || text === '+')) ||
      (kind === 'name' && text === 'not')
    ) {
      at++;
      // -2^2 is -(2^2): the sign binds less than the power.
      const operand = nested(() => (text === 'not' ? binary(3) : unary()));
      return { kind: 'unary', operator: text as '-' | '+' | 'not', operand };
    }
    return power();
  }

  function power(): CalcNode {
    const base = postfix();
    if (!take('^')) return base;
    return { kind: 'binary', operator: '^', left: base, right: nested(unary) };
  }

  function postfix(): CalcNode {
    let operand = primary();
    for (;;) {
      if (take('!')) operand = { kind: 'postfix', operator: '!', operand };
      else if (is('%') && isPercent()) {
        at++;
        operand = { kind: 'postfix', operator: '%', operand };
      } else return operand;
    }
  }

  /** `17%` against `8 % 3`: a value after the sign makes it a remainder. */
  function isPercent(): boolean {
    const next = peek(1);
    if (next.kind === 'number') return false;
    if (next.kind === 'name') return PRECEDENCE.has(next.text);
    if (next.text === '(' || next.text === '[') return false;
    if (next.text === '-' && !peek(2).spaced && (peek().spaced || !next.spaced)) {
      throw refuse(
        '"%" before "-" can mean percent or remainder; write mod(a, b) or put the percentage in parentheses.',
      );
    }
    return true;
  }

  function primary(): CalcNode {
    const token = peek();
    at++;
    if (token.kind === 'number') return afterValue({ kind: 'number', text: token.text });
    const isName = token.kind === 'name' && (!PRECEDENCE.has(token.text) || token.text === 'mod');
    if (isName) return afterName(token.text);
    if (token.text === '(') {
      const inner = nested(() => binary(1));
      expect(')', 'to close the parenthesis');
      return afterValue(inner);
    }
    if (token.text === '[') return { kind: 'list', items: list(']') };
    if (token.kind === 'end')
      throw refuse('The expression ends where a number is expected; complete it.');
    throw refuse(`Expected a number, got ${name(token)}.`);
  }

  function afterName(text: string): CalcNode {
    if (!take('(')) return afterValue({ kind: 'name', name: text });
    return afterValue({ kind: 'call', name: text, args: list(')') });
  }

  /** `2 pi`, `2(3)` and `1/2x` read differently in different places: a sign must say which. */
  function afterValue(node: CalcNode): CalcNode {
    const next = peek();
    const isValue = next.kind === 'number' || (next.kind === 'name' && !PRECEDENCE.has(next.text));
    if (isValue || is('(')) {
      throw refuse(
        `An operator is missing before ${name(next)}; write * to multiply. Units are not supported.`,
      );
    }
    return node;
  }

  function list(close: string): CalcNode[] {
    if (take(close)) return [];
    const items = [nested(() => binary(1))];
    while (take(',')) items.push(nested(() => binary(1)));
    if (is(';')) throw refuse('Matrices are not supported; use execute_python with numpy.');
    expect(close, 'to close the list');
    return items;
  }

  function statement(): CalcNode {
    if (peek().kind !== 'name' || !is('=', 1)) return binary(1);
    const target = peek().text;
    at += 2;
    return { kind: 'assign', name: target, value: binary(1) };
  }

  const statements: CalcNode[] = [];
  while (peek().kind !== 'end') {
    if (take(';')) continue;
    statements.push(statement());
    if (is(',')) {
      throw refuse(
        'A comma stands outside a list or function; write decimals with a point and 1,234,567 in groups of three.',
      );
    }
    if (peek().kind !== 'end' && !is(';')) throw refuse(`Did not expect ${name(peek())} here.`);
  }
  if (statements.length === 0)
    throw refuse('The expression is empty; write one, for example 17 * 24.');
  return statements;
}

function join(operator: string, left: CalcNode, right: CalcNode): CalcNode {
  const percent = (node: CalcNode) => node.kind === 'postfix' && node.operator === '%';
  if (operator === 'of') {
    if (!percent(left)) throw refuse('"of" needs a percentage before it, for example 17% of 240.');
    return { kind: 'binary', operator: '*', left, right };
  }
  if ((operator === '+' || operator === '-') && percent(right) && !percent(left)) {
    throw refuse(
      `"a ${operator} b%" can mean a share of a or of one; write a * (1 ${operator} b%) or a ${operator} (b / 100).`,
    );
  }
  return { kind: 'binary', operator, left, right };
}

function name(token: Token): string {
  return token.kind === 'end' ? 'the end' : `"${token.text.slice(0, 40)}"`;
}

const TOKEN =
  /[ \t]*(?:(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(\*\*|\/\/|[<>=!]=|[-+*/%^!<>=(),;:[\]]))/uy;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const text = source.trim().replace(/[\r\n]+/g, ';');
  TOKEN.lastIndex = 0;
  for (let end = 0; end < text.length; end = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) throw unreadable(text.slice(end).trimStart());
    const [whole, number, word, operator = ''] = match;
    const spaced = /^[ \t]/.test(whole);
    if (number !== undefined) {
      checkExponent(number);
      tokens.push({ kind: 'number', text: number, spaced });
    } else if (word !== undefined) tokens.push({ kind: 'name', text: word, spaced });
    else tokens.push({ kind: 'operator', text: operator === '**' ? '^' : operator, spaced });
  }
  return tokens;
}

function unreadable(rest: string): StrideError {
  const char = [...rest][0] ?? '';
  if (char === '.') return refuse('A number has two points; write decimals with one point.');
  const money = /\p{Sc}/u.test(char) ? ' Leave currency signs out.' : '';
  return refuse(`The character "${char}" is not understood.${money}`);
}

function checkExponent(number: string): void {
  const exponent = /^\d*\.?\d*[eE][+-]?0*(\d*)$/.exec(number)?.[1] ?? '';
  if (exponent.length > MAX_EXPONENT_DIGITS) {
    throw refuse(
      `The exponent of ${number.slice(0, 40)} is too large; at most ${MAX_EXPONENT_DIGITS} digits.`,
    );
  }
}
