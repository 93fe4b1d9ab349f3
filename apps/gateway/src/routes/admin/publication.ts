import { z } from 'zod';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { PublicationEvent } from '@esd/proto/esd/submission/v1/submission';
import { waitingOf } from '@esd/record/status/publication';
import { idText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '@esd/api/record-status';
import type { Upstream } from '../../upstream/upstream.ts';
import { REVIEWER } from '@esd/api/moderation';

const publication = z.strictObject({
  recordId: z.int(),
  revision: z.int().meta({ description: 'The newest record revision.' }),
  status: recordStatus,
  decidedAt: z.iso.datetime().nullable().meta({ description: 'The time of the decision; null while it is pending.' }),
  event: z
    .strictObject({
      id: z.uuid(),
      writtenAt: z.iso.datetime(),
      publishedAt: z.iso.datetime().nullable().meta({ description: 'Null until the event stream has the event.' }),
    })
    .nullable()
    .meta({ description: 'The event that publishes or withdraws this revision; null for another revision.' }),
  dataset: z.strictObject({
    revision: z.int().nullable().meta({
      description:
        'The dataset revision that contains the newest public change of the record; null before the first one.',
    }),
    replicas: z.array(
      z.strictObject({
        instance: z.string().meta({ description: 'Host and port of the replica.' }),
        revision: z.int().nullable().meta({ description: 'The dataset revision that it serves; null if unknown.' }),
      }),
    ),
  }),
  waitsFor: z.string().nullable().meta({
    description: 'What the record waits for; null once all replicas show the decision.',
  }),
});

export function adminPublicationRoutes({
  moderation,
  recordProgress,
}: Pick<Upstream, 'moderation' | 'recordProgress'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/records/:id/publication',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService', 'esd.dataset.v1.DatasetService'],
      describe: {
        tag: 'Administration',
        summary: 'Get how far a record is on its way to readers',
        details: `${REVIEWER} Queries every replica that serves the dataset and waits at most 2 s for each.`,
        returns: 'The newest decision on the record, its event, the replicas, and what the record waits for.',
        errors: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: z.object({ id: idText }),
      answer: publication,
      handle: async ({ parameters: { id }, call }, response) => {
        const record = await moderation.getPublication({ recordId: id }, call);
        const { recordId, revision, decidedAt, event, consumer } = record;
        const status = statusFromWire(record.status);
        if (!status) throw new Error(`record ${recordId} has no status`);
        // Later than the state of the consumer, see `waitingOf`.
        const replicas = (await recordProgress(id, call)).map(({ address: instance, answer }) => ({
          instance,
          ...(typeof answer === 'string' ? {} : answer),
        }));
        const logged = replicas.find(({ revision: known }) => known !== undefined);
        const indexes = replicas.map(({ instance, indexRevision }) => ({ instance, revision: indexRevision }));
        const waiting = waitingOf({
          revision,
          status,
          event: event && { isPublished: event.publishedAt !== undefined },
          consumer,
          logged: logged?.recordRevision,
          datasetRevision: logged?.revision,
          replicas: indexes,
        });
        response.set('Cache-Control', 'no-store').json({
          recordId,
          revision,
          status,
          decidedAt: decidedAt?.toISOString() ?? null,
          event: eventOf(event),
          dataset: {
            revision: logged?.revision ?? null,
            replicas: indexes.map((replica) => ({ ...replica, revision: replica.revision ?? null })),
          },
          waitsFor: waiting?.waitsFor ?? null,
        });
      },
    }),
  ];
}

function eventOf(event: PublicationEvent | undefined): z.output<typeof publication>['event'] {
  if (!event?.writtenAt) return null;
  const { id, writtenAt, publishedAt } = event;
  return { id, writtenAt: writtenAt.toISOString(), publishedAt: publishedAt?.toISOString() ?? null };
}
