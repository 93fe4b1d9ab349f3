import { LATEST } from '@esd/api/release-name';
import type { Request } from 'express';
import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { Route } from '../../http/route.ts';
import { cacheAddress, type HtmlPages } from '../../cache/html-pages.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { linksetRoute } from '../../pages/linkset-route.ts';
import { type PageAnswer, pageRoute } from '../../pages/page-route.ts';
import { recordText } from '../../reads/record-reads.ts';
import { recordPages } from '../../pages/record-page.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const RECORD_ID = /^[1-9]\d{0,15}$/;
const recordPath = z.object({ recordId: z.string() });

/** Serves the page of a record in the latest dataset or in a release (`?version=`). */
export function recordPageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  states: DatasetStates,
  descriptions: Descriptions,
  upstream: Pick<Upstream, 'dataset'>,
): Route[] {
  const pageOf = recordPages(upstream, states, descriptions);
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
      cache: htmlCache,
      open: ({ parameters, request, call }) => {
        const name = versionOf(request);
        const show = async (): Promise<PageAnswer> => {
          const recordId = recordIdOf(parameters.recordId);
          const { page, found } = await pageOf(name, recordId, call);
          const { version } = page.description;
          return {
            page,
            path: `/record/${recordId}${version === undefined ? '' : `?version=${version}`}`,
            json: () => recordText(found, version ?? LATEST),
          };
        };
        return { address: `${cacheAddress({ request })}?version=${name}`, show };
      },
    }),
  ];
}

/** Parses a record id. Throws RECORD_NOT_FOUND for any other text. */
function recordIdOf(text: string): number {
  const recordId = RECORD_ID.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(recordId)) return recordId;
  throw new ServiceError('RECORD_NOT_FOUND', `There is no public record ${describe(text)}.`);
}

function versionOf({ url }: Pick<Request, 'url'>): string {
  return new URLSearchParams(url.split('?')[1] ?? '').get('version') ?? LATEST;
}
