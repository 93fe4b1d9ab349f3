export interface Service {
  name: string;
  /** Name of its own database, and of the only role that can connect to it. */
  database?: string;
  bucket?: string;
  /** Signs session tokens and assertions. */
  signsTokens?: true;
  /** Environment variables with further secrets of 32 random bytes each. */
  secrets?: readonly string[];
  calls: string[];
  /** The NATS subjects that only this service can publish. */
  publishes: string[];
  /** Its durable consumers of the event stream with their filter subjects; no other service can use them. */
  durables: Readonly<Record<string, string>>;
  /** Only this service can purge the event stream. */
  purges?: true;
  /** Needs ESD_DATASET_FILE. */
  needsDatasetFile?: true;
  /** Needs ESD_PUBLIC_URL, which it writes into files. */
  needsPublicUrl?: true;
  environment?: Readonly<Record<string, string>>;
}

/** All services, including the gateway, which is the only one without a gRPC port. */
export const services: Service[] = [
  {
    name: 'identity-svc',
    database: 'esd_identity',
    signsTokens: true,
    calls: [],
    publishes: ['esd.account.deleted.v1'],
    durables: {
      'identity-svc-record-reviewed': 'esd.record.reviewed.v1',
      'identity-svc-record-message': 'esd.record.message.v1',
    },
  },
  {
    name: 'submission-svc',
    database: 'esd_submission',
    secrets: ['ESD_ORIGIN_KEY'],
    calls: ['dataset-svc', 'media-svc'],
    publishes: ['esd.record.approved.v1', 'esd.record.withdrawn.v1', 'esd.record.reviewed.v1', 'esd.record.message.v1'],
    durables: { 'submission-svc-account-deleted': 'esd.account.deleted.v1' },
    purges: true,
  },
  {
    name: 'dataset-svc',
    database: 'esd_dataset',
    needsDatasetFile: true,
    calls: [],
    publishes: [],
    durables: {
      'dataset-svc-record-approved': 'esd.record.approved.v1',
      'dataset-svc-record-withdrawn': 'esd.record.withdrawn.v1',
      'dataset-svc-snapshot-frozen': 'esd.snapshot.frozen.v1',
      'dataset-svc-account-deleted': 'esd.account.deleted.v1',
    },
  },
  {
    name: 'media-svc',
    database: 'esd_media',
    bucket: 'esd-images',
    calls: ['submission-svc'],
    publishes: [],
    durables: { 'media-svc-record-approved': 'esd.record.approved.v1' },
    // Makes glibc release the memory of large images. Without it the measured peak grows twice as much.
    environment: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
  },
  {
    name: 'export-svc',
    database: 'esd_export',
    bucket: 'esd-exports',
    calls: ['dataset-svc', 'media-svc'],
    publishes: ['esd.snapshot.frozen.v1'],
    durables: {},
    needsDatasetFile: true,
    needsPublicUrl: true,
  },
  {
    name: 'gateway',
    calls: ['identity-svc', 'submission-svc', 'dataset-svc', 'media-svc', 'export-svc'],
    publishes: [],
    durables: {},
    needsDatasetFile: true,
  },
];

export const gateway = 'gateway';

export function usesNats({ publishes, durables }: Service): boolean {
  return Object.keys(durables).length > 0 || publishes.length > 0;
}

/** Returns the name of a service for environment variables, for example DATASET. */
export function variableName(service: string): string {
  return service.replace('-svc', '').toUpperCase();
}

/** The services with an internal HTTP endpoint, to which the gateway proxies. */
export const internalHttpServices = ['media-svc', 'export-svc'];
