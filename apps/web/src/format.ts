const NARROW_SPACE = '\u202f';

/** Formats a number. Five or more digits are grouped by three. */
export function numberText(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const digits = whole.replace('-', '');
  const grouped = digits.length < 5 ? digits : digits.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  return `${value < 0 ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Formats a file size in decimal units with three significant digits. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = power === 0 ? String(bytes) : String(Number((bytes / 1_000 ** power).toPrecision(3)));
  return `${value}${NARROW_SPACE}${units[power] ?? ''}`;
}

/** Formats a date in UTC, such as "Nov 3, 2026". */
export function dateText(iso: string): string {
  return new Date(iso).toLocaleDateString('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
}

/** Formats a time of day in the time zone of the browser, such as "14:05"; with `second`, "14:05:09". */
export function timeText(date: Date, second?: '2-digit'): string {
  return date.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', second, hourCycle: 'h23' });
}

/** Rounds to three significant digits, the precision of computed values and of positions on the screen. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** Formats a range, such as "196–342". */
export function rangeText(min: number, max: number): string {
  return min === max ? numberText(min) : `${numberText(min)}–${numberText(max)}`;
}

/** Formats a count with its noun, such as "1 paper" or "2 papers". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** Formats the number of records, and that of distinct experiments if it is smaller: "351 experiments (190 distinct)". */
export function experimentsText(records: number, distinct = records): string {
  return `${countText(records, 'experiment')}${distinct < records ? ` (${numberText(distinct)} distinct)` : ''}`;
}
