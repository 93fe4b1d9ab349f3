import { z } from 'zod';
import type { EventStream, GetStatusResponse, Outbox } from '@esd/proto/esd/common/v1/status';
import { diskUse } from '@esd/service/health/disk';
import type { Readiness } from '@esd/service/health/readiness';
import { THIS_PROCESS } from '@esd/service/health/this-process';
import type { ReplicaAnswer, ServiceReplicas } from '../upstream/service-replicas.ts';

const upOrDown = z.enum(['up', 'down']);
const seconds = z.number().nonnegative();

const replicaStatus = z.strictObject({
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

const outboxStatus = z.strictObject({
  waiting: z.int().meta({ description: 'The number of unpublished events.' }),
  oldestSeconds: seconds.optional().meta({ description: 'The age of the oldest unpublished event in seconds.' }),
});

const serviceStatus = z.strictObject({
  name: z.string(),
  replicas: z.array(replicaStatus).meta({
    description: 'For the gateway, the replica that responds; for a service, all replicas that its name resolves to.',
  }),
  databaseBytes: z.int().optional(),
  outbox: outboxStatus.optional().meta({ description: 'Only for services that publish events.' }),
});

const consumerStatus = z.strictObject({
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
export type ReplicaStatus = z.output<typeof replicaStatus>;

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

/** Combines the answers of the replicas of a service. Shared values come from the first replica that reports them. */
export function statusOfService({ name, replicas }: ServiceReplicas): ServiceStatus {
  const answers = reported(replicas);
  const outbox = firstOf(answers, (answer) => answer.outbox);
  return {
    name,
    replicas: replicas.map(({ address, answer }) => statusOfReplica(address, answer)),
    databaseBytes: firstOf(answers, (answer) => answer.databaseBytes),
    outbox: outbox && waitingOf(outbox),
  };
}

export function newestRevision(services: readonly ServiceReplicas[]): number | undefined {
  const heads = reported(services.flatMap(({ replicas }) => replicas)).flatMap(({ dataset }) =>
    dataset ? [dataset.head] : [],
  );
  return heads.length > 0 ? Math.max(...heads) : undefined;
}

export function eventStream(services: readonly ServiceReplicas[]): EventStream | undefined {
  return firstOf(reported(services.flatMap(({ replicas }) => replicas)), ({ events }) => events);
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

function reported(replicas: ServiceReplicas['replicas']): GetStatusResponse[] {
  return replicas.flatMap(({ answer }) => (typeof answer === 'string' ? [] : [answer]));
}

function firstOf<Part>(
  answers: readonly GetStatusResponse[],
  part: (answer: GetStatusResponse) => Part | undefined,
): Part | undefined {
  return answers.map(part).find((one) => one !== undefined);
}
