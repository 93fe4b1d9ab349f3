import type { z } from 'zod';
import type { EventStream, GetStatusResponse, Outbox } from '@esd/proto/esd/common/v1/status';
import { diskUse } from '@esd/service/health/disk';
import type { Readiness } from '@esd/service/health/readiness';
import { THIS_PROCESS } from '@esd/service/health/this-process';
import type { ReplicaAnswer, ServiceReplicas } from '../upstream/service-replicas.ts';
import type { outboxStatus, replicaStatus, ServiceStatus } from '@esd/api/system-status';

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
