import { z } from 'zod';
import type { EventStream, GetStatusResponse, Outbox } from '@esd/proto/esd/common/v1/status';
import { diskUse } from '@esd/service/health/disk';
import type { Readiness } from '@esd/service/health/readiness';
import { THIS_PROCESS } from '@esd/service/health/this-process';
import type { ReplicaAnswer, ServiceReplicas } from '../upstream/service-replicas.ts';

const upOrDown = z.enum(['up', 'down']);
const seconds = z.number().nonnegative();

const replicaStatus = z.strictObject({
  address: z.string().optional().meta({ description: 'Host and port; left out for this gateway.' }),
  state: z.enum(['READY', 'NOT_READY', 'AWAY', 'NO_STATUS']).meta({
    description: '`AWAY`: it did not answer within 2 s. `NO_STATUS`: it answers with an error in place of its state.',
  }),
  host: z.string().optional(),
  version: z.string().optional().meta({ description: 'Of the release that it runs.' }),
  startedAt: z.iso.datetime().optional(),
  dependencies: z.record(z.string(), upOrDown).optional(),
  warnings: z.array(z.string()).optional(),
  disks: z
    .array(z.strictObject({ name: z.string(), usedRatio: z.number() }))
    .optional()
    .meta({ description: 'The disks and stores that it can see; `usedRatio` is 0 to 1, measured each minute.' }),
  datasetRevision: z
    .int()
    .optional()
    .meta({ description: 'Of a replica that serves the dataset: the revision that it answers from.' }),
  unknown: z
    .array(z.string())
    .optional()
    .meta({ description: 'Which of `outbox`, `events` and `dataset` it could not find out within 1.5 s.' }),
});

const outboxStatus = z.strictObject({
  waiting: z.int().meta({ description: 'Events that are not published yet.' }),
  oldestSeconds: seconds.optional().meta({ description: 'How long the oldest of them has been waiting.' }),
});

const serviceStatus = z.strictObject({
  name: z.string(),
  replicas: z
    .array(replicaStatus)
    .meta({ description: 'Of the gateway the one that answers; of a service all to which its name leads.' }),
  databaseBytes: z.int().optional(),
  outbox: outboxStatus.optional().meta({ description: 'Of a service that publishes events.' }),
});

const consumerStatus = z.strictObject({
  name: z.string(),
  subject: z.string(),
  waiting: z.int().optional().meta({ description: 'Events not delivered yet; left out while it does not exist.' }),
  unacknowledged: z.int().optional().meta({ description: 'Events delivered and not acknowledged yet.' }),
  oldestSeconds: seconds.optional().meta({ description: 'Age of the oldest event that it has not acknowledged.' }),
  deadLetters: z.int().meta({ description: 'Events that could not be decoded and were not handled since.' }),
});

/** The state of the whole system, as GET /admin/status has it. */
export const systemStatus = z.strictObject({
  at: z.iso.datetime(),
  warnings: z
    .array(z.string())
    .meta({ description: 'What an operator should see to, in words; empty when all is well.' }),
  datasetRevision: z.int().optional().meta({ description: 'The newest revision of the dataset.' }),
  services: z.array(serviceStatus),
  events: z
    .strictObject({ bytes: z.int(), consumers: z.array(consumerStatus) })
    .optional()
    .meta({ description: 'The event stream and its consumers; left out while it cannot be asked.' }),
});

export type SystemStatus = z.output<typeof systemStatus>;
export type ServiceStatus = z.output<typeof serviceStatus>;
export type ReplicaStatus = z.output<typeof replicaStatus>;

/** This gateway as a service with one replica: it does not know of others. */
export async function ownStatus(readiness: Readiness): Promise<ServiceStatus> {
  const { ready, dependencies, warnings } = readiness.current();
  const { startedAt, ...process } = THIS_PROCESS;
  const replica: ReplicaStatus = {
    state: ready ? 'READY' : 'NOT_READY',
    ...process,
    startedAt: startedAt.toISOString(),
    dependencies,
    warnings,
    disks: await diskUse(),
  };
  return { name: 'gateway', replicas: [replica] };
}

/** A service, of what its replicas answered: what belongs to all of them is told by the first that knows it. */
export function statusOfService({ name, replicas }: ServiceReplicas): ServiceStatus {
  const answers = told(replicas);
  const outbox = firstOf(answers, (answer) => answer.outbox);
  return {
    name,
    replicas: replicas.map(({ address, answer }) => statusOfReplica(address, answer)),
    databaseBytes: firstOf(answers, (answer) => answer.databaseBytes),
    outbox: outbox && waitingOf(outbox),
  };
}

/** The newest revision of the dataset that a replica knows of. */
export function newestRevision(services: readonly ServiceReplicas[]): number | undefined {
  const heads = told(services.flatMap(({ replicas }) => replicas)).flatMap(({ dataset }) =>
    dataset ? [dataset.head] : [],
  );
  return heads.length > 0 ? Math.max(...heads) : undefined;
}

/** The event stream, by the first replica that could ask it. */
export function eventStream(services: readonly ServiceReplicas[]): EventStream | undefined {
  return firstOf(told(services.flatMap(({ replicas }) => replicas)), ({ events }) => events);
}

function statusOfReplica(address: string, answer: ReplicaAnswer): ReplicaStatus {
  if (typeof answer === 'string') return { address, state: answer };
  const { ready, host, version, startedAt, dependencies, warnings, disks, dataset, unknown } = answer;
  return {
    address,
    state: ready ? 'READY' : 'NOT_READY',
    host,
    version,
    startedAt: startedAt?.toISOString(),
    dependencies: Object.fromEntries(dependencies.map((one) => [one.name, one.up ? 'up' : 'down'] as const)),
    warnings,
    disks,
    datasetRevision: dataset?.held,
    unknown,
  };
}

function waitingOf({ waiting, oldestSeconds }: Outbox): z.output<typeof outboxStatus> {
  return { waiting, oldestSeconds };
}

function told(replicas: ServiceReplicas['replicas']): GetStatusResponse[] {
  return replicas.flatMap(({ answer }) => (typeof answer === 'string' ? [] : [answer]));
}

function firstOf<Part>(
  answers: readonly GetStatusResponse[],
  part: (answer: GetStatusResponse) => Part | undefined,
): Part | undefined {
  return answers.map(part).find((one) => one !== undefined);
}
