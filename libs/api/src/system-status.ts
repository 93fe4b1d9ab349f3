import { z } from 'zod';

export const upOrDown = z.enum(['up', 'down']);

export const seconds = z.number().nonnegative();

export const replicaStatus = z.strictObject({
  address: z.string().optional().meta({ description: 'Host and port; absent for this gateway.' }),
  state: z.enum(['READY', 'NOT_READY', 'AWAY', 'NO_STATUS']).meta({
    description: '`AWAY`: no response within 2 s. `NO_STATUS`: the replica returned an error instead of its status.',
  }),
  host: z.string().optional(),
  version: z.string().optional().meta({ description: 'The version of the software that it runs.' }),
  startedAt: z.iso.datetime().optional(),
  dependencies: z.record(z.string(), upOrDown).optional(),
  warnings: z.array(z.string()).optional(),
  disks: z
    .array(z.strictObject({ name: z.string(), usedRatio: z.number() }))
    .optional()
    .meta({ description: 'The disks and stores of the replica. `usedRatio` is 0 to 1, measured every minute.' }),
  datasetRevision: z
    .int()
    .optional()
    .meta({ description: 'The dataset revision that the replica serves; absent if it does not serve the dataset.' }),
  unknown: z
    .array(z.string())
    .optional()
    .meta({ description: 'The parts (`outbox`, `events`, `dataset`) that it could not determine within 1.5 s.' }),
});

export const outboxStatus = z.strictObject({
  waiting: z.int().meta({ description: 'The number of unpublished events.' }),
  oldestSeconds: seconds.optional().meta({ description: 'The age of the oldest unpublished event in seconds.' }),
});

export const serviceStatus = z.strictObject({
  name: z.string(),
  replicas: z.array(replicaStatus).meta({
    description: 'For the gateway, the replica that responds; for a service, all replicas that its name resolves to.',
  }),
  databaseBytes: z.int().optional(),
  outbox: outboxStatus.optional().meta({ description: 'Only for services that publish events.' }),
});

export const consumerStatus = z.strictObject({
  name: z.string(),
  subject: z.string(),
  waiting: z
    .int()
    .optional()
    .meta({ description: 'The number of undelivered events; absent until the consumer exists.' }),
  unacknowledged: z
    .int()
    .optional()
    .meta({ description: 'The number of delivered events that are not acknowledged yet.' }),
  oldestSeconds: seconds.optional().meta({ description: 'The age of the oldest unacknowledged event in seconds.' }),
  deadLetters: z
    .int()
    .meta({ description: 'The number of events that could not be decoded and are still unprocessed.' }),
  deadLetterError: z
    .string()
    .optional()
    .meta({ description: 'The error of the oldest of these events, if it is known.' }),
});

export const systemStatus = z.strictObject({
  at: z.iso.datetime(),
  warnings: z.array(z.string()).meta({ description: 'The problems that need attention; empty without problems.' }),
  datasetRevision: z.int().optional().meta({ description: 'The newest revision of the dataset.' }),
  services: z.array(serviceStatus),
  events: z
    .strictObject({ bytes: z.int(), consumers: z.array(consumerStatus) })
    .optional()
    .meta({ description: 'The event stream and its consumers; absent while the stream is unreachable.' }),
});

export type SystemStatus = z.output<typeof systemStatus>;

export type ServiceStatus = z.output<typeof serviceStatus>;
