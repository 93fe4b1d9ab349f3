import * as z from 'zod/mini';

const number = z.optional(z.number());
const text = z.optional(z.string());

const replica = z.object({
  address: text,
  state: z.enum(['READY', 'NOT_READY', 'AWAY', 'NO_STATUS']),
  host: text,
  version: text,
  startedAt: text,
  dependencies: z._default(z.record(z.string(), z.enum(['up', 'down'])), {}),
  disks: z._default(z.array(z.object({ name: z.string(), usedRatio: z.number() })), []),
  datasetRevision: number,
});
const outbox = z.object({ waiting: z.number(), oldestSeconds: number });
const service = z.object({
  name: z.string(),
  replicas: z.array(replica),
  databaseBytes: number,
  outbox: z.optional(outbox),
});
const consumer = z.object({
  name: z.string(),
  waiting: number,
  unacknowledged: number,
  oldestSeconds: number,
  deadLetters: z.number(),
});

/** The response of `GET /admin/status`. */
export const status = z.object({
  at: z.string(),
  warnings: z.array(z.string()),
  datasetRevision: number,
  services: z.array(service),
  events: z.optional(z.object({ bytes: z.number(), consumers: z.array(consumer) })),
});

export type Status = z.output<typeof status>;
export type Service = z.output<typeof service>;
export type Replica = z.output<typeof replica>;
export type Outbox = z.output<typeof outbox>;
export type Consumer = z.output<typeof consumer>;
