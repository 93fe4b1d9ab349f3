const NARROW_SPACE = '\u202f';

/** A count or a value: groups of three from five digits on. */
export function numberText(value: number): string {
  const [whole = '', fraction] = String(value).split('.');
  const digits = whole.replace('-', '');
  const grouped = digits.length < 5 ? digits : digits.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  return `${value < 0 ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** A size of a file in decimal units, three significant digits. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = power === 0 ? String(bytes) : String(Number((bytes / 1_000 ** power).toPrecision(3)));
  return `${value}${NARROW_SPACE}${units[power] ?? ''}`;
}

/** A date as in "Nov 3, 2026", in UTC. */
export function dateText(iso: string): string {
  return new Date(iso).toLocaleDateString('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
}

/** A time of day as in "14:05", in the time zone of the browser. */
export function timeText(date: Date): string {
  return date.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** A computed figure, or a place on the screen, which is as exact: three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** A range as in "196–342". */
export function rangeText(min: number, max: number): string {
  return min === max ? numberText(min) : `${numberText(min)}–${numberText(max)}`;
}

/** A number of things as in "1 paper", "2 papers". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
