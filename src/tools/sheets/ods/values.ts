/** Values of OpenDocument cells: the attributes of a cell and the text it shows. Pure. */
import type { Cell } from '../book.ts';
import type { XmlAttributes } from '../xml.ts';

export interface OdsText {
  text: string;
  /** Some paragraph was there, if only an empty one. */
  present: boolean;
  runs?: Cell['runs'];
}

type Value = Pick<Cell, 'kind' | 'text' | 'runs'>;

/** Null for a cell without a value. `boolean`: its numbers are shown as truth values. */
export function odsValue(
  attributes: XmlAttributes,
  shown: OdsText,
  { boolean }: { boolean: boolean },
): Value | null {
  const { value } = attributes;
  if (isError(attributes, shown.text)) return { kind: 'error', text: shown.text };
  switch (attributes['value-type']) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const number = Number(value);
      if (value === undefined || !Number.isFinite(number)) return textValue(shown);
      if (isTruth(number, boolean, shown.text)) return truth(number === 1);
      // A spreadsheet has no -0.
      return { kind: 'number', text: String(number === 0 ? 0 : number) };
    }
    case 'boolean':
      return truth(attributes['boolean-value'] === 'true');
    case 'date':
      return dateValue(attributes['date-value'] ?? '') ?? textValue(shown);
    case 'time': {
      const text = durationText(attributes['time-value'] ?? '');
      return text === null ? textValue(shown) : { kind: 'date', text };
    }
    case 'string': {
      const stored = attributes['string-value'];
      if (shown.text === '' && stored) return { kind: 'text', text: stored };
      return textValue({ ...shown, present: shown.present || stored !== undefined });
    }
    default:
      return textValue(shown);
  }
}

/** LibreOffice stores the truth values of formulas as numbers, and may say so by what it shows only. */
function isTruth(number: number, boolean: boolean, shown: string): boolean {
  if (number === 1) return boolean || shown === 'TRUE';
  return number === 0 && (boolean || shown === 'FALSE');
}

function isError(attributes: XmlAttributes, shown: string): boolean {
  if (attributes['calcext:value-type'] === 'error') return shown !== '';
  const isCode = /^(?:#(?:N\/A|DIV\/0!|REF!|NAME\?|VALUE!|NUM!|NULL!)|Err:\d{3})$/.test(shown);
  return isCode && attributes.formula !== undefined;
}

function textValue({ text, present, runs }: OdsText): Value | null {
  if (!present) return null;
  return runs === undefined ? { kind: 'text', text } : { kind: 'text', text, runs };
}

function truth(value: boolean): Value {
  return { kind: 'boolean', text: value ? 'TRUE' : 'FALSE' };
}

function dateValue(stored: string): Value | null {
  if (!/^-?\d{4,}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?/.test(stored)) return null;
  return { kind: 'date', text: stored.replace(/([.,]\d*?)0+$/, '$1').replace(/[.,]$/, '') };
}

/** `PT14H30M00S` → `14:30:00`, `PT37H30M` → `37:30:00`; null for what is no duration. */
export function durationText(stored: string): string | null {
  const found = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?)?$/.exec(
    stored,
  );
  if (found === null) return null;
  const [, sign = '', days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = found;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(two);
  const part = fraction.replace(/0+$/, '');
  return `${sign}${clock.join(':')}${part === '' ? '' : `.${part}`}`;
}
