import { CONSUMERS } from '../names/consumers.ts';
import { DEPENDENCIES } from '../names/dependencies.ts';
import { DISKS } from '../names/disks.ts';
import { HTTP_METHODS } from '../names/http-methods.ts';
import { JOBS } from '../names/jobs.ts';
import { QUEUES } from '../names/queues.ts';
import { PROCESSES, type ProcessName, SERVICES } from '../names/services.ts';

/**
 * The values of a label. Series with a listed value exist from the start. A value of `names` exists in the processes that
 * use the name. A value that matches a pattern appears when it first occurs.
 */
export type LabelValues = readonly string[] | { names: readonly string[]; others?: RegExp } | RegExp;

export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  processes: readonly ProcessName[];
  help: string;
  labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram. */
  buckets?: readonly number[];
}

const GATEWAY = ['gateway'] as const;
const PUBLISHERS = ['identity-svc', 'submission-svc', 'export-svc'] as const;
const CONSUMING = ['dataset-svc', 'identity-svc', 'submission-svc', 'media-svc'] as const;
const CALLING = ['gateway', 'submission-svc', 'media-svc', 'export-svc'] as const;
const QUEUEING = ['dataset-svc', 'submission-svc', 'media-svc', 'export-svc'] as const;
const WITH_JOBS = ['identity-svc', 'submission-svc', 'media-svc', 'export-svc'] as const;

const CONSUMER = { names: CONSUMERS } as const;
const DISK = { names: DISKS, others: /./ } as const;
const FORMAT = /^[a-z]+$/;
const JOB = { names: JOBS } as const;
const QUEUE = { names: Object.keys(QUEUES) };
const ROUTE = /^(\/.*|none)$/;
const RPC_CODE = /^[A-Z_]+$/;
const RPC_METHOD = /^[\w.]+\/\w+$/;
const TARGET = { names: SERVICES } as const;

/** All metrics of the service, besides `process_*` and `nodejs_*`. docs/metrics.md is generated from this table. */
export const METRICS = {
  esd_build_info: {
    type: 'gauge',
    processes: PROCESSES,
    help: 'Always 1. `revision` is the Git commit, or `unknown`.',
    labels: { version: /^\d+\.\d+\.\d+/, revision: /^(unknown|[0-9a-f]{7,40})$/ },
  },
  esd_ready: { type: 'gauge', processes: PROCESSES, help: '1 while `/ready` returns 200.' },
  esd_dependency_up: {
    type: 'gauge',
    processes: PROCESSES,
    help: '1 while a dependency responds, otherwise 0, by its name in `/ready`.',
    labels: { dependency: { names: DEPENDENCIES } },
  },
  esd_warnings: { type: 'gauge', processes: PROCESSES, help: 'Number of warnings in `/ready`.' },
  esd_disk_used_ratio: {
    type: 'gauge',
    processes: PROCESSES,
    help: 'Used share of a disk or store that the process can measure, 0 to 1.',
    labels: { disk: DISK },
  },
  esd_event_loop_utilization_ratio: {
    type: 'gauge',
    processes: PROCESSES,
    help: 'Share of the last 15 s in which the event loop was busy, 0 to 1.',
  },
  esd_event_loop_delay_max_seconds: {
    type: 'gauge',
    processes: PROCESSES,
    help: 'Longest delay of the event loop in the last 60 s, without the sampling interval.',
  },
  esd_tls_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    processes: PROCESSES,
    help: 'Time at which the certificate of ESD_TLS_CERT_FILE expires. Present only with TLS.',
  },
  esd_rpc_client_requests_total: {
    type: 'counter',
    processes: CALLING,
    help: 'Calls to a service by their result: OK or an error code. Includes calls refused before they were sent.',
    labels: { target: TARGET, code: RPC_CODE },
  },
  esd_rpc_client_in_flight: {
    type: 'gauge',
    processes: CALLING,
    help: 'Unary calls in flight to a service.',
    labels: { target: TARGET },
  },
  esd_rpc_client_waiting: {
    type: 'gauge',
    processes: CALLING,
    help: 'Unary calls that wait for a slot.',
    labels: { target: TARGET },
  },
  esd_rpc_client_shed_total: {
    type: 'counter',
    processes: CALLING,
    help: 'Calls refused before they were sent: all places to wait were taken (`full`), or the wait was too long (`late`).',
    labels: { target: TARGET, reason: ['full', 'late'] },
  },
  esd_rpc_client_retries_total: {
    type: 'counter',
    processes: CALLING,
    help: 'Retries that were sent, or denied by the retry budget.',
    labels: { target: TARGET, result: ['sent', 'denied'] },
  },
  esd_http_requests_total: {
    type: 'counter',
    processes: GATEWAY,
    help: 'Public requests. `route` is the pattern of the route, or `none`. `code` is the status, or `aborted`.',
    labels: {
      route: ROUTE,
      method: { names: [...HTTP_METHODS, 'other'] },
      code: /^(\d\d\d|aborted)$/,
    },
  },
  esd_http_request_duration_seconds: {
    type: 'histogram',
    processes: GATEWAY,
    help: 'Time from the head of a request to the end of its response, by the pattern of its route.',
    labels: { route: ROUTE },
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  esd_http_in_flight: { type: 'gauge', processes: GATEWAY, help: 'Public requests without a complete response.' },
  esd_http_connections: { type: 'gauge', processes: GATEWAY, help: 'Open public connections.' },
  esd_http_rejected_total: {
    type: 'counter',
    processes: GATEWAY,
    help: 'Requests refused by a limit of the gateway (see limits.md).',
    labels: { reason: ['rate', 'share', 'connections', 'bodies', 'overload'] },
  },
  esd_cache_requests_total: {
    type: 'counter',
    processes: GATEWAY,
    help: 'Requests for cacheable responses: sent from the cache, 304, or computed.',
    labels: { cache: ['page', 'analysis', 'html'], result: ['hit', 'not_modified', 'miss'] },
  },
  esd_cache_bytes: {
    type: 'gauge',
    processes: GATEWAY,
    help: 'Memory of cached responses, with room for their compressed variants.',
    labels: { cache: ['page', 'analysis', 'html'] },
  },
  esd_rpc_server_requests_total: {
    type: 'counter',
    processes: SERVICES,
    help: 'Calls by their result: OK or an error code.',
    labels: { method: RPC_METHOD, code: RPC_CODE },
  },
  esd_rpc_server_duration_seconds: {
    type: 'histogram',
    processes: SERVICES,
    help: 'Duration of calls; of a stream, until its last message was sent.',
    labels: { method: RPC_METHOD },
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 5],
  },
  esd_rpc_server_in_flight: { type: 'gauge', processes: SERVICES, help: 'Unary calls in flight.' },
  esd_peer_calls_rejected_total: {
    type: 'counter',
    processes: SERVICES,
    help: 'Calls of a process that did not prove its name, or that is not allowed to use the method.',
    labels: { reason: ['unproven', 'not_allowed'] },
  },
  esd_db_connections: {
    type: 'gauge',
    processes: SERVICES,
    help: 'Connections of the pool to PostgreSQL.',
    labels: { state: ['in_use', 'idle'] },
  },
  esd_db_connections_limit: { type: 'gauge', processes: SERVICES, help: 'Size of the pool.' },
  esd_db_connections_waiting: { type: 'gauge', processes: SERVICES, help: 'Callers that wait for a connection.' },
  esd_db_size_bytes: { type: 'gauge', processes: SERVICES, help: 'Size of the database.' },
  esd_queue_running: {
    type: 'gauge',
    processes: QUEUEING,
    help: 'Running work of a fair queue.',
    labels: { queue: QUEUE },
  },
  esd_queue_waiting: {
    type: 'gauge',
    processes: QUEUEING,
    help: 'Waiting work of a fair queue.',
    labels: { queue: QUEUE },
  },
  esd_queue_rejected_total: {
    type: 'counter',
    processes: QUEUEING,
    help: 'Work refused by a fair queue: the client has used its share (429), or the queue is full (503).',
    labels: { queue: QUEUE, reason: ['share', 'full'] },
  },
  esd_job_last_success_timestamp_seconds: {
    type: 'gauge',
    processes: WITH_JOBS,
    help: 'Time of the last success of a periodic job in this replica; until then, the start of the replica. Use the maximum of all replicas.',
    labels: { job: JOB },
  },
  esd_job_interval_seconds: {
    type: 'gauge',
    processes: WITH_JOBS,
    help: 'Interval of a periodic job.',
    labels: { job: JOB },
  },
  esd_outbox_pending: { type: 'gauge', processes: PUBLISHERS, help: 'Unpublished events that are due.' },
  esd_outbox_oldest_seconds: {
    type: 'gauge',
    processes: PUBLISHERS,
    help: 'Age of the oldest unpublished event; 0 if there are no such events.',
  },
  esd_outbox_published_total: {
    type: 'counter',
    processes: PUBLISHERS,
    help: 'Events that the stream acknowledged.',
  },
  esd_events_total: {
    type: 'counter',
    processes: CONSUMING,
    help: 'Events that a consumer received: handled, failed (redelivered later), or dead (cannot be decoded).',
    labels: { consumer: CONSUMER, result: ['handled', 'failed', 'dead'] },
  },
  esd_event_delay_seconds: {
    type: 'histogram',
    processes: CONSUMING,
    help: 'Time from the creation of an event to the commit of its effect.',
    labels: { consumer: CONSUMER },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
  },
  esd_consumer_exists: {
    type: 'gauge',
    processes: ['submission-svc'],
    help: '1 if the durable consumer exists, otherwise 0. Every replica reads it; use the maximum.',
    labels: { consumer: CONSUMER },
  },
  esd_consumer_pending: {
    type: 'gauge',
    processes: ['submission-svc'],
    help: 'Events that the consumer has not acknowledged.',
    labels: { consumer: CONSUMER },
  },
  esd_consumer_oldest_seconds: {
    type: 'gauge',
    processes: ['submission-svc'],
    help: 'Age of the oldest event that the consumer has not acknowledged; 0 if there are no such events.',
    labels: { consumer: CONSUMER },
  },
  esd_dead_letters: {
    type: 'gauge',
    processes: ['submission-svc'],
    help: 'Events that the consumer could not decode and that were not redriven.',
    labels: { consumer: CONSUMER },
  },
  esd_stream_bytes: { type: 'gauge', processes: ['submission-svc'], help: 'Size of the event stream.' },
  esd_stream_purged_total: {
    type: 'counter',
    processes: ['submission-svc'],
    help: 'Messages that this replica purged from the stream.',
    labels: { subject: /^esd\.[\w.-]+$/ },
  },
  esd_records_pending: { type: 'gauge', processes: ['submission-svc'], help: 'Records that await review.' },
  esd_records_pending_oldest_seconds: {
    type: 'gauge',
    processes: ['submission-svc'],
    help: 'Age of the oldest record that awaits review; 0 if there are no such records.',
  },
  esd_dataset_revision: {
    type: 'gauge',
    processes: ['dataset-svc'],
    help: 'Dataset revision of the log in PostgreSQL, and of the index that this replica answers from.',
    labels: { source: ['log', 'index'] },
  },
  esd_dataset_records: { type: 'gauge', processes: ['dataset-svc'], help: 'Public records in the index.' },
  esd_body_reads_total: {
    type: 'counter',
    processes: ['dataset-svc'],
    help: 'Record bodies by the source that they were read from.',
    labels: { source: ['memory', 'postgres'] },
  },
  esd_freeze_oldest_seconds: {
    type: 'gauge',
    processes: ['export-svc'],
    help: 'Age of the oldest unfinished freeze; 0 if there is no such freeze.',
  },
  esd_export_builds_total: {
    type: 'counter',
    processes: ['export-svc'],
    help: 'Files built for exports and releases.',
    labels: { format: FORMAT, result: ['ok', 'failed'] },
  },
  esd_export_build_duration_seconds: {
    type: 'histogram',
    processes: ['export-svc'],
    help: 'Duration of building and storing a file.',
    labels: { format: FORMAT },
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300],
  },
  esd_version_files_damaged_total: {
    type: 'counter',
    processes: ['export-svc'],
    help: 'Requests for a stored file of a release that is lost or altered.',
    labels: { format: FORMAT },
  },
  esd_object_store_errors_total: {
    type: 'counter',
    processes: ['media-svc', 'export-svc'],
    help: 'Calls of the object store that failed: the store was unreachable, too slow, or responded with an error.',
  },
  esd_images_lost_total: {
    type: 'counter',
    processes: ['media-svc'],
    help: 'Requests for an image whose object is lost.',
  },
  esd_mails_pending: { type: 'gauge', processes: ['identity-svc'], help: 'Mails that wait to be sent.' },
  esd_mails_oldest_seconds: {
    type: 'gauge',
    processes: ['identity-svc'],
    help: 'Age of the oldest mail that waits; 0 if there are no such mails.',
  },
  esd_mails_total: {
    type: 'counter',
    processes: ['identity-svc'],
    help: 'Mails: sent; dropped (obsolete, or requested too often); postponed (too many to one account); refused (retried later); given up.',
    labels: { result: ['sent', 'dropped', 'postponed', 'refused', 'given_up'] },
  },
  esd_sign_ins_total: {
    type: 'counter',
    processes: ['identity-svc'],
    help: 'Attempts to sign in: ok, failed, or throttled.',
    labels: { result: ['ok', 'failed', 'throttled'] },
  },
} as const satisfies Record<string, MetricDefinition>;
