import { countText } from '../format.ts';

const STEPS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** Formats a duration in one unit, as in "6 days". */
export function agoText(seconds: number): string {
  const step = STEPS.find(([length]) => seconds >= length);
  return step ? countText(Math.floor(seconds / step[0]), step[1]) : 'under a minute';
}

/** Formats the time since a point in time, which another clock may have measured. */
export function sinceText(iso: string): string {
  return agoText(Math.max(0, (Date.now() - new Date(iso).getTime()) / 1_000));
}
