import type { ServiceStatus, SystemStatus } from '@esd/api/system-status';
import { durationText } from '@esd/pages/duration-text';
import { downWarning } from '@esd/service/health/readiness';
import type { ReplicaStatus } from './service-status.ts';

/** Events are normally processed within seconds. */
const LATE_SECONDS = 60;

/** Returns the problems that need attention: unreachable replicas, then warnings of replicas, then waiting events. */
export function statusWarnings({ services, events }: Pick<SystemStatus, 'services' | 'events'>): string[] {
  const servicePrefixes = services.map(({ name }) => `${name}: `);
  return [
    ...services.flatMap(unreachableReplicas),
    ...services.flatMap(({ name, replicas }) =>
      replicas.flatMap((replica) => warningsOfReplica(name, replica, servicePrefixes)),
    ),
    ...services.flatMap(({ name, outbox }) =>
      outbox && isLate(outbox)
        ? [`${name}: ${unpublished(outbox.waiting)}; the oldest has waited for ${durationText(outbox.oldestSeconds)}.`]
        : [],
    ),
    ...(events ? events.consumers.flatMap(warningsOfConsumer) : ['The event stream is unreachable.']),
  ];
}

function unreachableReplicas({ name, replicas }: ServiceStatus): string[] {
  const away = replicas.filter(({ state }) => state === 'AWAY');
  if (away.length === replicas.length) return [`${name} is not responding.`];
  return away.map((replica) => `${nameOf(name, replica)} is not responding.`);
}

function warningsOfReplica(service: string, replica: ReplicaStatus, servicePrefixes: readonly string[]): string[] {
  const name = nameOf(service, replica);
  // The services report these warnings themselves.
  const isReportedByService = (text: string): boolean =>
    service === 'gateway' && servicePrefixes.some((start) => text.startsWith(start));
  const down = Object.entries(replica.dependencies ?? {}).filter(
    ([dependency, state]) => state === 'down' && !isReportedByService(`${dependency}: `),
  );
  // A replica also warns of an optional dependency that is down.
  const isListed = (text: string): boolean =>
    Object.keys(replica.dependencies ?? {}).some((dependency) => text === downWarning(dependency));
  return [
    ...(replica.state === 'NOT_READY' ? [`${name} is not ready.`] : []),
    ...(replica.state === 'NO_STATUS' ? [`${name} did not return its status. Check its log.`] : []),
    ...down.map(([dependency]) => `${name} cannot reach ${dependency}.`),
    ...(replica.warnings ?? [])
      .filter((text) => !isReportedByService(text) && !isListed(text))
      .map((text) => `${name}: ${text}.`),
    ...(replica.unknown ?? []).map((part) => `${name} could not determine its ${PARTS[part] ?? part} in time.`),
  ];
}

const PARTS: Readonly<Record<string, string>> = {
  outbox: 'unpublished events',
  events: 'event stream',
  dataset: 'dataset revision',
};

function warningsOfConsumer(consumer: NonNullable<SystemStatus['events']>['consumers'][number]): string[] {
  const { name, waiting, unacknowledged = 0, deadLetters } = consumer;
  if (waiting === undefined) return [`Consumer ${name} does not exist yet; its events stay in the stream.`];
  const count = waiting + unacknowledged;
  const events = count === 1 ? '1 unprocessed event' : `${count} unprocessed events`;
  return [
    ...(isLate(consumer)
      ? [`Consumer ${name}: ${events}; the oldest has waited for ${durationText(consumer.oldestSeconds)}.`]
      : []),
    ...(deadLetters > 0
      ? [`Consumer ${name} has ${deadLetters === 1 ? '1 dead letter' : `${deadLetters} dead letters`}.`]
      : []),
  ];
}

function isLate<Waiting extends { oldestSeconds?: number | undefined }>(
  waiting: Waiting,
): waiting is Waiting & { oldestSeconds: number } {
  return waiting.oldestSeconds !== undefined && waiting.oldestSeconds >= LATE_SECONDS;
}

function unpublished(count: number): string {
  return count === 1 ? '1 unpublished event' : `${count} unpublished events`;
}

function nameOf(service: string, { address }: ReplicaStatus): string {
  return address === undefined ? service : `${service} at ${address}`;
}
