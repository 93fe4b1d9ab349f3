import type { UsageDay } from '@esd/proto/esd/export/v1/export';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** How often the dataset was viewed and downloaded in some days. */
export interface UsageOfDays {
  views: number;
  /** Whole files. */
  downloads: number;
  /** Those on which something was counted, oldest first. */
  days: UsageDay[];
}

const DAY_MS = 86_400_000;

/** Usage from one day to another (UTC, `2026-11-22`) of `latest`, the identifier of a version, or all of them. */
export async function usageOfDays(
  usage: Pick<Upstream['usage'], 'getUsageByDay'>,
  asked: { version: string | undefined; from: string; to: string },
  call: Call,
): Promise<UsageOfDays> {
  const { days } = await usage.getUsageByDay(asked, call);
  const all = days.flatMap(({ downloads }) => Object.values(downloads));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return { views: sum(days.map(({ views }) => views)), downloads: sum(all), days };
}

/** How many days there are from one to another, both of them counted. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The day that is some days after another, or before it. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Today, UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
