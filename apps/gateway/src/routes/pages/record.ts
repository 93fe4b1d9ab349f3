import type { Request } from 'express';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Route } from '../../http/route.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { linksetRoute } from '../../pages/linkset-route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { LATEST } from '../../schemas/release-name.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const RECORD_ID = /^[1-9]\d{0,15}$/;
const recordPath = z.object({ recordId: z.string() });
const numbers = z.record(z.string(), z.number());

/** The page of a record, as it is now or as a release has it (`?version=`). */
export function recordPageRoutes(
  renderer: Renderer,
  states: DatasetStates,
  descriptions: Descriptions,
  { dataset, versions }: Pick<Upstream, 'dataset' | 'versions'>,
): Route[] {
  return [
    linksetRoute({
      path: '/record/:recordId/linkset',
      parameters: recordPath,
      describe: ({ parameters, request, call }) =>
        descriptions.ofRecord(versionOf(request), recordIdOf(parameters.recordId), call),
    }),
    pageRoute(renderer, {
      path: '/record/:recordId',
      parameters: recordPath,
      show: async ({ parameters, request, call }) => {
        const recordId = recordIdOf(parameters.recordId);
        const name = versionOf(request);
        const version =
          name === LATEST
            ? undefined
            : (await versions.findVersion({ by: { $case: 'name', value: name } }, call)).version;
        const revision = version?.state?.revision;
        const [description, found] = await Promise.all([
          descriptions.ofRecord(name, recordId, call),
          dataset.getRecord({ recordId, revision, atLeast: states.seen() }, call),
        ]);
        const { data } = parsePublicRecord(Buffer.from(found.recordJson).toString());
        const { recordRevision, versions: holders } = found;
        const normalized = numbers.parse(JSON.parse(Buffer.from(found.normalizedJson).toString()));
        return {
          page: { kind: 'record', description, record: data, normalized, revision: recordRevision, versions: holders },
          place: `/record/${recordId}${version === undefined ? '' : `?version=${version.identifier}`}`,
        };
      },
    }),
  ];
}

/** The id of a record from its text. Throws RECORD_NOT_FOUND for any other text. */
function recordIdOf(text: string): number {
  const recordId = RECORD_ID.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(recordId)) return recordId;
  throw new ServiceError('RECORD_NOT_FOUND', `There is no public record ${describe(text)}.`);
}

/** The release from which a record is read. */
function versionOf({ url }: Pick<Request, 'url'>): string {
  return new URLSearchParams(url.split('?')[1] ?? '').get('version') ?? LATEST;
}
