export interface UsageCounterTable {
  name: 'views' | 'downloads';
  value: number;
}

/** How often something was used on a day. */
export interface UsageDayTable {
  /** UTC; selected as text, `2026-11-22`. */
  day: string;
  /** `latest` or the identifier of a version. */
  version: string;
  /** `view` or the format of a file that was downloaded. */
  use: string;
  count: number;
}
