import { MAX_ANONYMOUS_RECORDS } from '@esd/record/submission-size';

/** The amount of a resource that may be used. The tables of docs/limits.md, and the defaults and texts of settings, derive from it. */
export interface Allowance {
  /** A noun phrase that continues "Maximum". */
  resource: string;
  /** The default of the setting, if there is one. */
  amount: number;
  unit?: 'MB' | 'KB/s' | 'ms' | 's' | '%';
  window?: string;
  /** The callers or processes that have this amount each; docs/limits.md defines the terms. */
  of: string;
  /** The status of the response, or what happens instead. */
  beyond: string;
  setting?: string;
}

/** The bytes of an uploaded file, an image or a sheet. */
export const UPLOAD_FILE_BYTES = 20 * 1024 * 1024;

/** The bytes of the form of an upload: a file, and its texts and boundaries. */
export const UPLOAD_FORM_BYTES = UPLOAD_FILE_BYTES + 64 * 1024;

const REQUESTS = { window: 'minute', of: 'client address', beyond: '429' } as const;
const MAILS = { window: 'hour', of: 'account' } as const;
const GUESSES = { resource: 'wrong passwords', beyond: '429 during a wait' } as const;
const WAIT = { resource: 'wait after a wrong password', unit: 's', beyond: '' } as const;
const BODIES = { resource: 'unfinished request bodies', unit: 'MB' } as const;
const CONNECTIONS = { resource: 'connections' } as const;
const TIME = { unit: 's', of: 'request', beyond: '400' } as const;
const FEEDBACK_IMAGES = { resource: 'images in open feedback', unit: '%', beyond: '413' } as const;
const QUERIES = { resource: 'new public queries', window: 'day (UTC)', beyond: '429' } as const;
const UNATTACHED = { resource: 'images without a record (stored PNG)', unit: 'MB', beyond: '503' } as const;
const EXPORT = { of: 'replica of export-svc', beyond: '503' } as const;
const CALLS = { of: 'called service' } as const;

/** The allowances of callers and processes, by section of docs/limits.md. */
export const ALLOWANCES = {
  /** By class, which responses name in their headers. */
  requests: {
    reads: {
      ...REQUESTS,
      resource: 'GET requests of no other class, `POST /analytics/view` and `POST /mcp`',
      amount: 600,
      setting: 'ESD_LIMIT_READS',
    },
    pages: {
      ...REQUESTS,
      resource: 'web pages, feeds, lists of typed links, sitemaps, `/robots.txt` and `/llms.txt`',
      amount: 600,
      setting: 'ESD_LIMIT_PAGES',
    },
    analysis: {
      ...REQUESTS,
      resource: 'counts, statistics and searches for similar experiments that are not cached',
      amount: 120,
      setting: 'ESD_LIMIT_ANALYSIS',
    },
    exports: { ...REQUESTS, resource: 'exports and downloads', amount: 120, setting: 'ESD_LIMIT_EXPORTS' },
    files: {
      ...REQUESTS,
      resource: 'stable files (`/files/…`)',
      amount: 2_000,
      unit: 'MB',
      window: 'hour',
      setting: 'ESD_LIMIT_FILES_MB',
    },
    submissions: {
      ...REQUESTS,
      resource: 'submissions, uploads, moderation and all other writes',
      amount: 60,
      setting: 'ESD_LIMIT_SUBMISSIONS',
    },
    accounts: {
      ...REQUESTS,
      resource: 'sign-ins, registrations, mail links and changes to accounts and tokens',
      amount: 20,
      setting: 'ESD_LIMIT_ACCOUNTS',
    },
    sessions: {
      ...REQUESTS,
      resource: 'session refreshes and sign-outs in the browser',
      amount: 300,
      setting: 'ESD_LIMIT_SESSIONS',
    },
    other: {
      ...REQUESTS,
      resource: 'OPTIONS requests and requests for unknown methods and for unknown or malformed paths',
      amount: 600,
      setting: 'ESD_LIMIT_OTHER',
    },
  },
  mails: {
    requested: { ...MAILS, resource: 'mails of each kind that any client can trigger', amount: 5, beyond: 'dropped' },
    notices: { ...MAILS, resource: 'mails of each other kind', amount: 10, beyond: 'sent later in one mail' },
  },
  guesses: {
    pair: { ...GUESSES, amount: 5, of: 'email address and client address' },
    address: { ...GUESSES, amount: 20, of: 'email address' },
    client: { ...GUESSES, amount: 50, of: 'client address' },
    pairWait: { ...WAIT, amount: 300, of: 'email address and client address' },
    wait: { ...WAIT, amount: 60, of: 'email address, or client address' },
  },
  connections: {
    clientBodies: { ...BODIES, amount: 30, of: 'client address', beyond: '429', setting: 'ESD_BODIES_CLIENT_MB' },
    bodies: { ...BODIES, amount: 256, of: 'gateway', beyond: '503', setting: 'ESD_BODIES_MB' },
    ofClient: { ...CONNECTIONS, amount: 256, of: 'client address', beyond: '429', setting: 'ESD_CONNECTIONS_CLIENT' },
    all: { ...CONNECTIONS, amount: 8_192, of: 'gateway', beyond: '503', setting: 'ESD_CONNECTIONS' },
    headerTime: { ...TIME, resource: 'time for the headers (16 KB)', amount: 10 },
    requestTime: { ...TIME, resource: 'time for a whole request', amount: 60 },
    slowTime: { ...TIME, resource: 'time in which a body may be slower than the next row', amount: 5 },
    speed: { ...TIME, resource: 'average speed of a body, as a minimum', amount: 10, unit: 'KB/s' },
  },
  anonymous: {
    records: { resource: 'records', amount: MAX_ANONYMOUS_RECORDS, of: 'submission', beyond: '413' },
    pending: {
      resource: 'records without an account that await review',
      amount: 500,
      of: 'network',
      beyond: '429',
      setting: 'ESD_ANONYMOUS_PENDING',
    },
    feedback: {
      resource: 'feedback messages',
      amount: 50,
      window: '24 hours',
      of: 'sender',
      beyond: '429',
      setting: 'ESD_FEEDBACK_DAILY',
    },
    senderImages: { ...FEEDBACK_IMAGES, amount: 5, of: 'sender', beyond: '429' },
    anonymousImages: { ...FEEDBACK_IMAGES, amount: 50, of: 'all senders without an account' },
    images: { ...FEEDBACK_IMAGES, amount: 1_000, unit: 'MB', of: 'installation', setting: 'ESD_FEEDBACK_IMAGES_MB' },
    // 300 MB at the maximum length of a message.
    openFeedback: { resource: 'open feedback without an account', amount: 10_000, of: 'installation', beyond: '503' },
    queries: { ...QUERIES, amount: 20, of: 'client address' },
    accountQueries: { ...QUERIES, amount: 1_000, of: 'account' },
    storedQueries: { resource: 'queries without an account', amount: 100_000, of: 'installation', beyond: '429' },
  },
  shares: {
    analyses: { resource: 'running analyses', amount: 64, of: 'gateway', beyond: '503' },
    clientAnalyses: { resource: 'running analyses', amount: 2, of: 'client address', beyond: '429' },
    uploads: { resource: 'running image uploads', amount: 256, of: 'replica of media-svc', beyond: '503' },
    sheets: { ...EXPORT, resource: 'sheets that are received, wait or are read', amount: 64 },
    // A stalled client occupies about 2 MB.
    downloads: { ...EXPORT, resource: 'streamed downloads (csv, json)', amount: 200 },
    // A replica of export-svc streams fewer.
    bulkReads: { resource: 'exports and comparisons', amount: 512, of: 'replica of dataset-svc', beyond: '503' },
    temporaryFiles: { resource: 'space of the temporary folder', amount: 75, unit: '%', of: 'replica', beyond: '503' },
    clientUnattached: {
      ...UNATTACHED,
      amount: 200,
      window: '24 hours',
      of: 'client',
      beyond: '429',
      setting: 'ESD_UNATTACHED_CLIENT_MB',
    },
    anonymousUnattached: { ...UNATTACHED, amount: 75, unit: '%', of: 'all clients without an account' },
    unattached: { ...UNATTACHED, amount: 20_000, of: 'installation', setting: 'ESD_UNATTACHED_TOTAL_MB' },
  },
  overload: {
    calls: { ...CALLS, resource: 'calls in flight', amount: 64, beyond: 'waits', setting: 'ESD_UPSTREAM_CONCURRENCY' },
    reserved: { ...CALLS, resource: 'reserved calls in flight, in addition', amount: 16, beyond: 'waits' },
    wait: {
      ...CALLS,
      resource: 'smallest wait of a call in 500 ms',
      amount: 250,
      unit: 'ms',
      beyond: '503',
      setting: 'ESD_UPSTREAM_WAIT_MS',
    },
    waiting: { ...CALLS, resource: 'waiting calls', amount: 256, beyond: '503' },
    running: { resource: 'calls', amount: 256, of: 'replica of a service', beyond: '503, without a retry' },
    retries: { ...CALLS, resource: 'retries', amount: 10, unit: '%', window: '10 s', beyond: 'no retry' },
    minRetries: { ...CALLS, resource: 'retries, even of few calls', amount: 30, window: '10 s', beyond: 'no retry' },
  },
} as const satisfies Record<string, Record<string, Allowance>>;
