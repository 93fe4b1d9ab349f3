/** What a service of the system needs of the stack. */
export interface Service {
  name: string;
  /** Name of its own database, and of the role that alone may connect to it. */
  database?: string;
  /** Name of its own bucket. */
  bucket?: string;
  /** Signs session tokens and assertions. */
  signs?: true;
  /** Further secrets of its own, by the variables of its environment: 32 random bytes each. */
  secrets?: readonly string[];
  /** The other services that it calls. */
  calls: string[];
  /** The NATS subjects that it may publish; nobody else may. */
  publishes: string[];
  /** Its durable consumers of the event stream, each with the subject that it filters by; no other service may use them. */
  durables: Readonly<Record<string, string>>;
  /** Purges the event stream; nobody else may. */
  purges?: true;
  /** Says whose dataset it is: reads its facts from ESD_DATASET_FILE. */
  knowsDataset?: true;
  /** Writes the address of the interface into files: ESD_PUBLIC_URL. */
  namesAddress?: true;
  /** Further variables of its environment. */
  environment?: Readonly<Record<string, string>>;
}

/** The services behind the gateway, and the gateway, which is the only one without a gRPC port. */
export const services: Service[] = [
  {
    name: 'identity-svc',
    database: 'esd_identity',
    signs: true,
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
    // glibc else keeps most of the memory that large images took: measured, twice the growth at its peak.
    environment: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
  },
  {
    name: 'export-svc',
    database: 'esd_export',
    bucket: 'esd-exports',
    calls: ['dataset-svc', 'media-svc'],
    publishes: ['esd.snapshot.frozen.v1'],
    durables: {},
    knowsDataset: true,
    namesAddress: true,
  },
  {
    name: 'gateway',
    calls: ['identity-svc', 'submission-svc', 'dataset-svc', 'media-svc', 'export-svc'],
    publishes: [],
    durables: {},
    knowsDataset: true,
  },
];

export const gateway = 'gateway';

/** Whether a service speaks to NATS at all, and so has a user there. */
export function usesNats({ publishes, durables }: Service): boolean {
  return Object.keys(durables).length > 0 || publishes.length > 0;
}

/** The name of a service in the names of variables, for example DATASET. */
export function variableName(service: string): string {
  return service.replace('-svc', '').toUpperCase();
}

/** The services with an internal HTTP endpoint, to which the gateway proxies. */
export const internalHttpServices = ['media-svc', 'export-svc'];
