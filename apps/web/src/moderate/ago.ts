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
