export interface UsageCounterTable {
  name: 'views' | 'downloads';
  value: number;
}

export interface UsageDayTable {
  /** The day in UTC, selected as text: `2026-11-22`. */
  day: string;
  /** `latest` or the identifier of a release. */
  version: string;
  /** `view`, or the format of a downloaded file. */
  use: string;
  count: number;
}
