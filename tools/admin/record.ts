import { waitingOf } from '@esd/record/status/publication';
import { recordStatuses } from '@esd/record/status/record-status';
import { z } from 'zod';
import { AdminError, EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import { runServiceCommand } from './service-command.ts';
import type { Report } from './report.ts';
import { readReplica } from './status.ts';

/** The output of the command `record` of submission-svc, see `RecordPublication` there. */
const decisionOutput = z.object({
  recordId: z.number(),
  revision: z.number(),
  status: z.enum(recordStatuses),
  decidedAt: z.optional(z.string()),
  event: z.optional(z.object({ id: z.string(), writtenAt: z.string(), publishedAt: z.optional(z.string()) })),
  consumer: z.optional(z.object({ name: z.string(), waiting: z.optional(z.number()), deadLetters: z.number() })),
});
/** The output of the command `record` of dataset-svc. */
const progressOutput = z.object({
  recordRevision: z.optional(z.number()),
  revision: z.optional(z.number()),
  indexRevision: z.optional(z.number()),
});

const RUNBOOK = 'docs/operations.md#esddependencydown';

/** Reports how far a record is on its way to readers. Throws an AdminError for an unknown record. */
export async function recordReport(installation: Installation, recordId: string): Promise<Report> {
  const words = ['record', recordId];
  const { result, lines } = await runServiceCommand(installation, 'submission-svc', words);
  if (!result) {
    const status = await readReplica(installation, 'submission-svc');
    if (status?.dependencies.some(({ name, up }) => name === 'postgres' && !up)) {
      const json = { recordId: Number(recordId), waitsFor: 'PostgreSQL, which is unavailable', runbook: RUNBOOK };
      return { json, lines: [`waits for  ${json.waitsFor}; see ${RUNBOOK}`], code: EXIT.notDone };
    }
    throw new AdminError(EXIT.notDone, lines.at(-1) ?? 'submission-svc printed no result. Read its log.');
  }
  const { event, consumer, decidedAt, revision, status, recordId: id } = decisionOutput.parse(result);
  const names = await installation.replicas('dataset-svc');
  const replicas = await Promise.all(
    names.map(async (name) => {
      const { result: progress } = await runServiceCommand(installation, 'dataset-svc', words, name);
      return { name, progress: progressOutput.parse(progress ?? {}) };
    }),
  );
  const log = replicas.find(({ progress }) => progress.revision !== undefined)?.progress;
  const indexes = replicas.map(({ name: instance, progress }) => ({ instance, revision: progress.indexRevision }));
  const waiting = waitingOf({
    revision,
    status,
    event: event && { isPublished: event.publishedAt !== undefined },
    consumer,
    logged: log?.recordRevision,
    datasetRevision: log?.revision,
    replicas: indexes,
  });
  const json = {
    recordId: id,
    revision,
    status,
    decidedAt: decidedAt ?? null,
    event: event ? { ...event, publishedAt: event.publishedAt ?? null } : null,
    dataset: {
      revision: log?.revision ?? null,
      replicas: indexes.map((index) => ({ ...index, revision: index.revision ?? null })),
    },
    waitsFor: waiting?.waitsFor ?? null,
    runbook: waiting?.runbook === undefined ? null : `docs/operations.md#${waiting.runbook}`,
  };
  const isConsumed = log?.recordRevision !== undefined && log.recordRevision >= revision;
  const rows = [
    ['record', `${id}, revision ${revision}`],
    ['status', `${status}${decidedAt === undefined ? '' : `, decided ${decidedAt}`}`],
    ['event', event ? `${event.id}, written ${event.writtenAt}` : 'none for this revision'],
    ...(event
      ? [
          ['published', event.publishedAt ?? 'no'],
          ['consumed', isConsumed ? 'yes' : 'no'],
        ]
      : []),
    ['log', log?.revision === undefined ? 'not in the log' : `dataset revision ${log.revision}`],
    ...indexes.map((index) => [
      'index',
      `${index.instance}: ${index.revision === undefined ? 'does not respond' : `dataset revision ${index.revision}`}`,
    ]),
    [
      'waits for',
      waiting
        ? `${waiting.waitsFor}${json.runbook === null ? '' : `; see ${json.runbook}`}`
        : 'nothing; all replicas have the decision',
    ],
  ];
  return {
    json,
    lines: rows.map(([name = '', value = '']) => `${name.padEnd(10)} ${value}`),
    code: waiting ? EXIT.notDone : EXIT.done,
  };
}
