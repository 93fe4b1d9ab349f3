import { z } from 'zod';
import { ReferenceList, type ReferenceChange } from '@esd/proto/esd/dataset/v1/reference';
import { ALL_LISTS, listFromWire, listToWire } from '@esd/dataset-client/list-names';
import { linkHeader, linkParameters } from '../../http/link-header.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from '@esd/api/paged-list';
import { selfUrl } from '../../http/public-url.ts';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const change = z.strictObject({
  id: z.int(),
  revision: z.int().meta({ description: 'The dataset revision that the change created.' }),
  at: z.iso.datetime(),
  accountId: z.uuid().meta({
    description: 'The account that made the change; all zeros for an entry that the resolver found.',
  }),
  requestId: z.string(),
  list: z.enum(ALL_LISTS),
  entryId: z.int(),
  action: z.string().meta({ description: '`create`, `replace` or `delete`.' }),
  before: z.looseObject({}).optional(),
  after: z.looseObject({}).optional(),
});
const changesQuery = z.object({
  list: z.enum(ALL_LISTS).optional(),
  entryId: integerText(1, Number.MAX_SAFE_INTEGER).optional(),
  ...pagedQuery.shape,
});

export function metadataChangeRoutes({ reference }: Pick<Upstream, 'reference'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/metadata/changes',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReferenceService'],
      describe: {
        tag: 'Administration',
        summary: 'List changes to the reference lists',
        details: 'Requires the role ADMIN. The newest changes come first.',
        returns: 'A page of changes.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
      },
      query: changesQuery,
      answer: pagedResponse(change),
      handle: async ({ query: { list, entryId, skip, limit }, call, request }, response) => {
        const { changes, total } = await reference.listChanges(
          { list: list ? listToWire(list) : ReferenceList.REFERENCE_LIST_UNSPECIFIED, entryId, skip, limit },
          call,
        );
        const parameters = linkParameters({ list, entryId: entryId?.toString() });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data: changes.map(changeOf), total, skip, limit });
      },
    }),
  ];
}

function changeOf({ at, list, beforeJson, afterJson, ...row }: ReferenceChange): z.output<typeof change> {
  const name = listFromWire(list);
  if (!at || !name) throw new Error(`reference change ${row.id} has no time or list`);
  const entry = (json: string | undefined) =>
    json === undefined ? undefined : z.looseObject({}).parse(JSON.parse(json));
  return { ...row, at: at.toISOString(), list: name, before: entry(beforeJson), after: entry(afterJson) };
}
