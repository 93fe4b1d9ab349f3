import { EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import type { Report } from './report.ts';
import { actionsOf } from './service-actions.ts';
import { duration, eventStreamOf, readStatus, table, whyUnknown } from './status.ts';

/** Lists the outboxes, the consumers, and their dead letters with the error of the oldest. */
export async function eventsReport(installation: Installation): Promise<Report> {
  const replicas = await readStatus(installation);
  const outboxes = [...Map.groupBy(replicas, ({ service }) => service)].flatMap(([service, its]) => {
    const outbox = its.find(({ status }) => status?.outbox)?.status?.outbox;
    return outbox ? [{ service, ...outbox }] : [];
  });
  const publishers = actionsOf('republish', undefined).map(({ service }) => service);
  const unknown = publishers.filter((name) => !outboxes.some(({ service }) => service === name));
  const consumers = eventStreamOf(replicas);
  const age = (seconds: number | undefined) => (seconds === undefined ? '' : duration(seconds));
  const lines = [
    ...table([
      ['OUTBOX', 'UNPUBLISHED', 'OLDEST'],
      ...outboxes.map(({ service, waiting, oldestSeconds }) => [service, String(waiting), age(oldestSeconds)]),
      ...unknown.map((service) => [service, 'unknown']),
    ]),
    ...(unknown.length === 0 ? [] : [`The outboxes are unknown: ${whyUnknown(replicas, unknown, 'PostgreSQL')}`]),
    '',
    ...(consumers
      ? table([
          ['CONSUMER', 'WAITING', 'OLDEST', 'DEAD LETTERS', 'ERROR OF THE OLDEST DEAD LETTER'],
          ...consumers.map((one) => [
            one.name,
            one.waiting === undefined ? 'absent' : String(one.waiting + (one.unacknowledged ?? 0)),
            age(one.oldestSeconds),
            String(one.deadLetters),
            one.deadLetterError ?? '',
          ]),
        ])
      : [`The event stream is unreachable: ${whyUnknown(replicas, ['submission-svc'], 'NATS')}`]),
  ];
  const isWorking =
    unknown.length === 0 &&
    consumers?.every(({ deadLetters, waiting }) => deadLetters === 0 && waiting !== undefined) === true;
  return { json: { outboxes, consumers: consumers ?? null }, lines, code: isWorking ? EXIT.done : EXIT.notDone };
}
