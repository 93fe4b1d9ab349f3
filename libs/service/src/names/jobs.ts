/** The periodic jobs of all services. */
export const JOBS = [
  'built-files',
  'expired-data',
  'feature-ranges',
  'idempotency-keys',
  'reference-lists',
  'retention',
  'stream-purge',
  'token-uses',
  'unused-images',
  'usage-counters',
] as const;

export type JobName = (typeof JOBS)[number];
