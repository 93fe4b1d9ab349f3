import { z } from 'zod';
import { ReferenceList, type ReferenceChange } from '@esd/proto/esd/dataset/v1/reference';
import { listFromWire, listToWire } from '@esd/dataset-client/list-names';
import type { listChange } from '@esd/api/administration';
import { listReferenceChanges } from '@esd/api/administration';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function metadataChangeRoutes({ reference }: Pick<Upstream, 'reference'>): Route[] {
  return [
    serve(listReferenceChanges, {
      targets: ['esd.dataset.v1.ReferenceService'],
      handle: async ({ query: { list, entryId, skip, limit }, call, request }, response) => {
        const { changes, total } = await reference.listChanges(
          { list: list ? listToWire(list) : ReferenceList.REFERENCE_LIST_UNSPECIFIED, entryId, skip, limit },
          call,
        );
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: changes.map(changeOf), total, skip, limit });
      },
    }),
  ];
}

function changeOf({ at, list, beforeJson, afterJson, ...row }: ReferenceChange): z.output<typeof listChange> {
  const name = listFromWire(list);
  if (!at || !name) throw new Error(`reference change ${row.id} has no time or list`);
  const entry = (json: string | undefined) =>
    json === undefined ? undefined : z.looseObject({}).parse(JSON.parse(json));
  return { ...row, at: at.toISOString(), list: name, before: entry(beforeJson), after: entry(afterJson) };
}
