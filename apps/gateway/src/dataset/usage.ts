import type { UsageDay } from '@esd/proto/esd/export/v1/export';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface UsageOfDays {
  views: number;
  /** Completed downloads of files. */
  downloads: number;
  /** Days with at least one count, oldest first. */
  days: UsageDay[];
}

const DAY_MS = 86_400_000;

/** Reads the usage between two days (UTC, `2026-11-22`) of `latest`, a release identifier, or all of them (undefined). */
export async function usageOfDays(
  usage: Pick<Upstream['usage'], 'getUsageByDay'>,
  period: { version: string | undefined; from: string; to: string },
  call: Call,
): Promise<UsageOfDays> {
  const { days } = await usage.getUsageByDay(period, call);
  const all = days.flatMap(({ downloads }) => Object.values(downloads));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return { views: sum(days.map(({ views }) => views)), downloads: sum(all), days };
}

/** Returns the number of days in a period, including both ends. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the current day in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
