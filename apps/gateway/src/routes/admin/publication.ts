import type { z } from 'zod';
import { statusFromWire } from '@esd/dataset-client/record-status';
import type { PublicationEvent } from '@esd/proto/esd/submission/v1/submission';
import { waitingOf } from '@esd/record/status/publication';
import type { publication } from '@esd/api/administration';
import { getPublication } from '@esd/api/administration';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminPublicationRoutes({
  moderation,
  recordProgress,
}: Pick<Upstream, 'moderation' | 'recordProgress'>): Route[] {
  return [
    serve(getPublication, {
      targets: ['esd.submission.v1.ModerationService', 'esd.dataset.v1.DatasetService'],
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
