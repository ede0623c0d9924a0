/** Values of OpenDocument cells: the attributes of a cell and the text it shows. Pure. */
import type { Cell } from '../book.ts';
import { serialToText } from '../dates.ts';
import type { XmlAttributes } from '../xml.ts';

export interface OdsText {
  text: string;
  /** Some paragraph was there, if only an empty one. */
  present: boolean;
  runs?: Cell['runs'];
}

export interface OdsValueOptions {
  /** Numbers are shown as truth values. */
  boolean: boolean;
  /** A time is shown as one of the day (`h:mm`), not as a duration. */
  clock: boolean;
  /** From 1899-12-30 to the day that the book counts from. */
  nullDay: number;
}

type Value = Pick<Cell, 'kind' | 'text' | 'runs'>;

const DAY_MS = 86_400_000;
/** The longest date or duration that means something has half of it. */
const MAX_STORED_CHARS = 64;
/** A time of day of more days than this holds a date too; of fewer it may be a sum of hours. */
const MAX_CLOCK_DAYS = 366;

/** Null for a cell without a value. */
export function odsValue(
  attributes: XmlAttributes,
  shown: OdsText,
  options: OdsValueOptions,
): Value | null {
  const { value } = attributes;
  if (isError(attributes, shown.text)) return { kind: 'error', text: shown.text };
  switch (attributes['value-type']) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const number = Number(value);
      if (value === undefined || !Number.isFinite(number)) return textValue(shown);
      if (isTruth(number, options.boolean, shown.text)) return truth(number === 1);
      // A spreadsheet has no -0.
      return { kind: 'number', text: String(number === 0 ? 0 : number) };
    }
    case 'boolean':
      return truth(attributes['boolean-value'] === 'true');
    case 'date':
      return dateOr(dateText(attributes['date-value'] ?? ''), shown);
    case 'time':
      return dateOr(timeText(attributes['time-value'] ?? '', options), shown);
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

function dateOr(text: string | null, shown: OdsText): Value | null {
  return text === null ? textValue(shown) : { kind: 'date', text };
}

/** Rounded to the millisecond, which fractions of days are exact to; null for what is no date. */
export function dateText(stored: string): string | null {
  if (stored.length > MAX_STORED_CHARS) return null;
  const found =
    /^(-?\d{4,}-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)([.,]\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.exec(
      stored,
    );
  if (found === null) return null;
  const [, day = '', hours, minutes, seconds = '00', fraction] = found;
  if (hours === undefined) return day;
  const clock = `${hours}:${minutes}:${seconds}`;
  if (fraction === undefined) return `${day}T${clock}`;
  const ms = Math.round(Number(fraction.replace(',', '.')) * 1000);
  const whole = new Date(`${day}T${clock}Z`).getTime();
  // Years that JavaScript writes in another way are nobody's.
  if (Number.isNaN(whole)) return `${day}T${clock}`;
  return new Date(whole + ms).toISOString().replace('.000', '').replace('Z', '');
}

function timeText(stored: string, { clock, nullDay }: OdsValueOptions): string | null {
  const ms = durationMs(stored);
  if (ms !== null && clock && ms >= MAX_CLOCK_DAYS * DAY_MS) {
    const format = { date: true, time: true, elapsed: false };
    const date = serialToText(ms / DAY_MS + nullDay, { format, date1904: false });
    if (date !== null) return date;
  }
  return durationText(stored);
}

/** `PT14H30M00S` → `14:30:00`, `PT37H30M` → `37:30:00`; null for what is no duration. */
export function durationText(stored: string): string | null {
  const ms = durationMs(stored);
  if (ms === null) return null;
  const format = { date: false, time: true, elapsed: true };
  return serialToText(ms / DAY_MS, { format, date1904: false });
}

function durationMs(stored: string): number | null {
  if (stored.length > MAX_STORED_CHARS) return null;
  const found = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/.exec(
    stored,
  );
  if (found === null) return null;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0'] = found;
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  const ms = Math.round((whole * 60 + Number(seconds.replace(',', '.'))) * 1000);
  if (!Number.isSafeInteger(ms)) return null;
  return sign === undefined ? ms : -ms;
}
