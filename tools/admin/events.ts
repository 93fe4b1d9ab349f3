import { EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import type { Report } from './report.ts';
import { actionsOf } from './service-actions.ts';
import { consumerTable, duration, eventStreamOf, readStatus, type Replica, table } from './status.ts';

/** Lists the outboxes, the consumers, and their dead letters with the error of the oldest. */
export async function eventsReport(installation: Installation): Promise<Report> {
  const replicas = await readStatus(installation);
  const publishers = actionsOf('republish', undefined).map(({ service }) => service);
  const outboxes = publishers.flatMap((service) => {
    const outbox = replicas.find((one) => one.service === service && one.status?.outbox)?.status?.outbox;
    return outbox ? [{ service, ...outbox }] : [];
  });
  const unknown = publishers.filter((name) => !outboxes.some(({ service }) => service === name));
  const consumers = eventStreamOf(replicas);
  const lines = [
    ...table([
      ['OUTBOX', 'UNPUBLISHED', 'OLDEST'],
      ...outboxes.map(({ service, waiting, oldestSeconds }) => [service, String(waiting), duration(oldestSeconds)]),
      ...unknown.map((service) => [service, 'unknown']),
    ]),
    ...(unknown.length === 0 ? [] : [`The outboxes are unknown: ${whyUnknown(replicas, unknown, 'PostgreSQL')}`]),
    '',
    ...(consumers
      ? consumerTable(consumers)
      : [`The event stream is unreachable: ${whyUnknown(replicas, ['submission-svc'], 'NATS')}`]),
  ];
  const isWorking =
    unknown.length === 0 &&
    consumers?.every(({ deadLetters, waiting }) => deadLetters === 0 && waiting !== undefined) === true;
  return { json: { outboxes, consumers: consumers ?? null }, lines, code: isWorking ? EXIT.done : EXIT.notDone };
}

/** Says why a part of the status of these services is missing, and names the section that says what to do. */
function whyUnknown(replicas: readonly Replica[], names: readonly string[], server: string): string {
  const away = names.find((name) => !replicas.some(({ service, status }) => service === name && status));
  return away === undefined
    ? `${server} is unavailable; see docs/operations.md#esddependencydown`
    : `${away} does not respond; see docs/operations.md#esdtargetdown`;
}
