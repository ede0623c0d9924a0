/**
 * Serial numbers of spreadsheets as ISO 8601, and which number formats mean a date. A date is only a
 * number with a format, so the format decides what is shown; the value is never rounded but to the
 * millisecond. Pure; no time zones: a spreadsheet knows none.
 */

/** What a number format shows of a serial number. `elapsed`: hours that go on past 24, `[h]:mm`. */
export interface DateFormat {
  date: boolean;
  time: boolean;
  elapsed: boolean;
}

const DAY_MS = 86_400_000;
/** 9999-12-31, the last day Excel knows, in the 1900 system. */
const LAST_SERIAL = 2_958_465;
/** Excel's own limit; the patterns here take quadratic time on longer ones. */
const MAX_CODE_CHARS = 255;
/** From day 0 of 1904 to the same day in the 1900 system. */
const OFFSET_1904_DAYS = 1_462;

/**
 * Reads a format code such as `yyyy\-mm\-dd;@`; null when it shows no date or time. Literals
 * (`"days"`, `\d`, `_)`, `* `) and conditions or colours in brackets (`[Red]`) do not count.
 */
export function parseDateFormat(code: string): DateFormat | null {
  const bare = code.slice(0, MAX_CODE_CHARS).replace(/"[^"]*"?|\\.|_.|\*./g, '');
  const elapsed = /\[(?:h+|m+|s+)\]/i.test(bare);
  const letters = bare
    .replace(/\[[^\]]*\]?/g, '')
    .replace(/general|standard/gi, '')
    .replace(/e[+-]/gi, '')
    .toLowerCase();
  // `m` is minutes after hours or before seconds, else a month.
  const minutes = /h[^a-z]*m|m[^a-z]*s/.test(letters);
  const time = elapsed || minutes || /h|s|am\/pm|a\/p/.test(letters);
  const months = letters.replace(/am\/pm|a\/p/g, '').replace(/(h[^a-z]*)m+|m+([^a-z]*s)/g, '$1$2');
  const date = /[ymd]/.test(elapsed ? months.replace(/m/g, '') : months);
  return date || time ? { date, time, elapsed: elapsed && !date } : null;
}

/**
 * `2024-03-01`, `2024-03-01T14:30:00.250`, `14:30:00` or a duration `37:30:00`; a part the format
 * hides is still shown when it is not zero. As Excel does, the 1900 system has a 1900-02-29 (serial
 * 60) and a 1900-01-00 (serial 0). Null for what is no date there: negative, or after 9999.
 */
export function serialToText(
  serial: number,
  { format, date1904 }: { format: DateFormat; date1904: boolean },
): string | null {
  if (!Number.isFinite(serial)) return null;
  const totalMs = Math.round(serial * DAY_MS);
  if (format.elapsed) return durationText(totalMs);
  const shift = date1904 ? OFFSET_1904_DAYS : 0;
  if (totalMs < 0 || totalMs >= (LAST_SERIAL + 1 - shift) * DAY_MS) return null;
  const day = Math.floor(totalMs / DAY_MS);
  const ms = totalMs - day * DAY_MS;
  // A fraction without a day is a time of day; in the 1904 system day 0 is a real one.
  const timeOnly = day === 0 && (!format.date || (ms > 0 && !date1904));
  if (timeOnly) return clockText(ms);
  const date = dayText(day, date1904);
  return format.time || ms > 0 ? `${date}T${clockText(ms)}` : date;
}

function dayText(day: number, date1904: boolean): string {
  if (!date1904 && day === 0) return '1900-01-00';
  if (!date1904 && day === 60) return '1900-02-29';
  // Before the false leap day the count is one behind.
  const since1899 = date1904 ? day + OFFSET_1904_DAYS : day < 60 ? day + 1 : day;
  return new Date(Date.UTC(1899, 11, 30) + since1899 * DAY_MS).toISOString().slice(0, 10);
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23).replace('.000', '');
}

function durationText(totalMs: number): string {
  const ms = Math.abs(totalMs);
  const hours = Math.floor(ms / 3_600_000);
  const rest = clockText(ms % 3_600_000).slice(3);
  return `${totalMs < 0 ? '-' : ''}${String(hours).padStart(2, '0')}:${rest}`;
}

/**
 * Codes of the number formats that files only name by number (ECMA-376 18.8.30, with the forms
 * of zh-CN for 27–36 and 50–58, which stand for dates in all East Asian locales).
 */
export const BUILTIN_FORMATS: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '"$"#,##0_);\\("$"#,##0\\)'],
  [6, '"$"#,##0_);[Red]\\("$"#,##0\\)'],
  [7, '"$"#,##0.00_);\\("$"#,##0.00\\)'],
  [8, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'mm-dd-yy'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yy h:mm'],
  [37, '#,##0_);(#,##0)'],
  [38, '#,##0_);[Red](#,##0)'],
  [39, '#,##0.00_);(#,##0.00)'],
  [40, '#,##0.00_);[Red](#,##0.00)'],
  [41, '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)'],
  [42, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'],
  [43, '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'],
  [44, '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
  ...[27, 36, 50, 52, 57].map((id) => [id, 'yyyy"年"m"月"'] as const),
  ...[28, 29, 51, 53, 54, 58].map((id) => [id, 'm"月"d"日"'] as const),
  [30, 'm-d-yy'],
  [31, 'yyyy"年"m"月"d"日"'],
  ...[32, 34, 55].map((id) => [id, 'h"时"mm"分"'] as const),
  ...[33, 35, 56].map((id) => [id, 'h"时"mm"分"ss"秒"'] as const),
]);
