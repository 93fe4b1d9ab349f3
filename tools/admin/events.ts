import { EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import type { Report } from './report.ts';
import { duration, eventStreamOf, readStatus, table } from './status.ts';

/** Lists the outboxes, the consumers, and their dead letters with the error of the oldest. */
export async function eventsReport(installation: Installation): Promise<Report> {
  const replicas = await readStatus(installation);
  const outboxes = [...Map.groupBy(replicas, ({ service }) => service)].flatMap(([service, its]) => {
    const outbox = its.find(({ status }) => status?.outbox)?.status?.outbox;
    return outbox ? [{ service, ...outbox }] : [];
  });
  const consumers = eventStreamOf(replicas);
  const age = (seconds: number | undefined) => (seconds === undefined ? '' : duration(seconds));
  const lines = [
    ...table([
      ['OUTBOX', 'UNPUBLISHED', 'OLDEST'],
      ...outboxes.map(({ service, waiting, oldestSeconds }) => [service, String(waiting), age(oldestSeconds)]),
    ]),
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
      : ['The event stream is unreachable.']),
  ];
  const isWorking = consumers?.every(({ deadLetters, waiting }) => deadLetters === 0 && waiting !== undefined) ?? false;
  return { json: { outboxes, consumers: consumers ?? null }, lines, code: isWorking ? EXIT.done : EXIT.notDone };
}
