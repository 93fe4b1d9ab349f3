import type { Request } from 'express';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { Route } from '../../http/route.ts';
import type { HtmlPages } from '../../kept/html-pages.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { linksetRoute } from '../../pages/linkset-route.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { recordText } from '../public/dataset-record.ts';
import { LATEST } from '../../schemas/release-name.ts';

const RECORD_ID = /^[1-9]\d{0,15}$/;
const recordPath = z.object({ recordId: z.string() });

/** The page of a record, as it is now or as a release has it (`?version=`). */
export function recordPageRoutes(renderer: Renderer, kept: HtmlPages, descriptions: Descriptions): Route[] {
  return [
    linksetRoute({
      path: '/record/:recordId/linkset',
      parameters: recordPath,
      describe: async ({ parameters, request, call }) =>
        (await descriptions.ofRecord(versionOf(request), recordIdOf(parameters.recordId), call)).description,
    }),
    pageRoute(renderer, {
      path: '/record/:recordId',
      parameters: recordPath,
      kept,
      show: async ({ parameters, request, call }) => {
        const recordId = recordIdOf(parameters.recordId);
        const { found, ...shown } = await descriptions.ofRecord(versionOf(request), recordId, call);
        const { version } = shown.description;
        return {
          page: { kind: 'record', ...shown },
          place: `/record/${recordId}${version === undefined ? '' : `?version=${version}`}`,
          json: () => recordText(found, version ?? LATEST),
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
