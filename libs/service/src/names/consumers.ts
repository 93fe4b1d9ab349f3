/** The durable consumers of all services. Their subjects are in `DURABLES` of libs/events. */
export const CONSUMERS = [
  'dataset-svc-account-deleted',
  'dataset-svc-record-approved',
  'dataset-svc-record-withdrawn',
  'dataset-svc-snapshot-frozen',
  'identity-svc-record-message',
  'identity-svc-record-reviewed',
  'media-svc-record-approved',
  'submission-svc-account-deleted',
] as const;

export type ConsumerName = (typeof CONSUMERS)[number];
