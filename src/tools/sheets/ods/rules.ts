/**
 * Conditional formats of an OpenDocument sheet, in words: those that LibreOffice writes behind the
 * rows, or else the conditions that styles of cells hold (ODF 1.3 part 3, 16.4).
 */
import { rangeAddress } from '../addresses.ts';
import type { CellRange, CellStyle, SheetTail, Span } from '../book.ts';
import type { XmlAttributes } from '../xml.ts';
import { addressToA1, splitOutsideQuotes, toA1 } from './formula.ts';
import type { OdsLook, OdsStyles } from './styles.ts';

const MAX_RULES = 1_000;
const MAX_RULE_CHARS = 300;
const MAX_RANGE_CHARS = 200;
/** Rectangles of cells with conditions, over all styles of a sheet. */
const MAX_BLOCKS = 1_000;

const SCALES: Readonly<Record<string, string>> = {
  'color-scale': 'a colour scale by value',
  'data-bar': 'bars by value',
  'icon-set': 'icons by value',
};
/** Conditions without anything to compare with. */
const KINDS: Readonly<Record<string, string>> = {
  duplicate: 'values that occur more than once',
  unique: 'values that occur once',
  error: 'errors',
  'is-error': 'errors',
  'no-error': 'cells without an error',
  'is-no-error': 'cells without an error',
  'above-average': 'cells above average',
  'below-average': 'cells below average',
};

/** The elements inside of `calcext:conditional-formats`; adds to the tail. */
export function createRuleReader(tail: SheetTail, styles: OdsStyles) {
  let range = '';
  const push = (rule: string) => {
    if (tail.rules.length < MAX_RULES) tail.rules.push({ range, rule });
  };
  return {
    open(name: string, attributes: XmlAttributes): void {
      if (name === 'conditional-format') range = rangeText(attributes['target-range-address']);
      else if (name === 'condition') {
        const rule = conditionText(attributes.value ?? '');
        push(withLook(rule, styles.named(attributes['apply-style-name'])));
      } else if (name === 'date-is') {
        const rule = `dates: ${(attributes.date ?? '').slice(0, MAX_RULE_CHARS)}`;
        push(withLook(rule, styles.named(attributes.style)));
      } else if (SCALES[name] !== undefined) push(SCALES[name]);
    },
  };
}

/** `Scores.B1:Scores.B12 Scores.D1` → `B1:B12 D1`. */
function rangeText(addresses = ''): string {
  const parts = splitOutsideQuotes(addresses.slice(0, MAX_RANGE_CHARS * 10), ' ').map((part) => {
    const address = addressToA1(part);
    return address.slice(address.lastIndexOf('!') + 1);
  });
  return parts.join(' ').slice(0, MAX_RANGE_CHARS);
}

function withLook(rule: string, look: CellStyle | undefined): string {
  const parts = [look?.fill && `fill ${look.fill}`, look?.color && `text ${look.color}`];
  const words = [...parts.filter(Boolean), ...(look?.bold ? ['bold'] : [])];
  return words.length === 0 ? rule : `${rule} (${words.join(', ')})`;
}

/** Conditions of both kinds: `>70`, `cell-content()>70`, `between(1,5)`, `formula-is([.A1]>2)`. */
export function conditionText(condition: string): string {
  const text = toA1(condition.slice(0, MAX_RULE_CHARS)).replace(
    /^cell-content(?:-is)?(?:\(\)|-)?/,
    '',
  );
  const call = /^([a-z-]+)(?:\((.*)\))?$/s.exec(text);
  if (call === null)
    return `cells ${text.replace(/^([<>!=]+)\s*/, (_, sign) => `${signOf(sign)} `)}`;
  const [, name = '', inside = ''] = call;
  const [first = '', second = ''] = splitOutsideQuotes(inside, ',');
  if (name === 'between') return `cells between ${first} and ${second}`;
  if (name === 'not-between') return `cells not between ${first} and ${second}`;
  if (name === 'formula-is' || name === 'is-true-formula') return `where ${inside} holds`;
  const ranked = /^(top|bottom)-(elements|percent)$/.exec(name);
  if (ranked !== null) {
    const unit = ranked[2] === 'percent' ? ' %' : '';
    return `the ${ranked[1] === 'top' ? 'highest' : 'lowest'} ${inside}${unit}`;
  }
  return KINDS[name] ?? `${name.replaceAll('-', ' ')} ${inside}`.trim();
}

function signOf(sign: string): string {
  return { '<=': '≤', '>=': '≥', '!=': '≠', '<>': '≠' }[sign] ?? sign;
}

interface Block extends CellRange {
  look: OdsLook;
}

/** Gathers where the cells stand whose styles hold conditions. */
export function createStyleRules(styles: OdsStyles) {
  const byLook = new Map<OdsLook, Block[]>();
  const above = new Map<OdsLook, Map<string, Block>>();
  let run: Block | null = null;
  let count = 0;
  function endRun(): void {
    if (run === null) return;
    const { look, rows, columns } = run;
    const key = `${columns.from}:${columns.to}`;
    const open = above.get(look) ?? new Map<string, Block>();
    above.set(look, open);
    const block = open.get(key);
    if (block?.rows.to === rows.from - 1) block.rows.to = rows.to;
    else if (count < MAX_BLOCKS) {
      count++;
      open.set(key, run);
      const blocks = byLook.get(look);
      if (blocks === undefined) byLook.set(look, [run]);
      else blocks.push(run);
    }
    run = null;
  }
  return {
    /** Cells in row order. */
    add(look: OdsLook, { rows, columns }: { rows: Span; columns: Span }): void {
      const isSameRow = run?.look === look && run.rows.from === rows.from;
      if (run !== null && isSameRow && run.columns.to + 1 === columns.from) {
        run.columns.to = columns.to;
      } else {
        endRun();
        run = { look, rows: { ...rows }, columns: { ...columns } };
      }
    },
    finish(tail: SheetTail): void {
      endRun();
      // LibreOffice writes the same conditions behind the rows, where more is said.
      if (tail.rules.length > 0) return;
      for (const [look, blocks] of byLook) {
        const range = blocks.map(rangeAddress).join(' ').slice(0, MAX_RANGE_CHARS);
        for (const { condition, apply } of look.conditions) {
          if (tail.rules.length >= MAX_RULES) return;
          const rule = withLook(conditionText(condition), styles.named(apply));
          tail.rules.push({ range, rule });
        }
      }
    },
  };
}
