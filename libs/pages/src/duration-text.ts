const UNITS = [
  [86_400, 'day', 'days'],
  [3_600, 'h', 'h'],
  [60, 'min', 'min'],
] as const;

/** Formats a duration in seconds, rounded down to its largest unit: "less than 1 s", "42 s", "5 min", "3 h", "2 days". */
export function durationText(seconds: number): string {
  if (seconds < 1) return 'less than 1 s';
  for (const [size, one, several] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count > 0) return `${count} ${count === 1 ? one : several}`;
  }
  return `${Math.floor(seconds)} s`;
}
