import { z } from 'zod';
import { ReferenceList, type ReferenceChange } from '@esd/proto/esd/dataset/v1/reference';
import { linkHeader } from '../link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../paged-list.ts';
import { integerText } from '../query.ts';
import { listNames, LISTS } from '../reference-entry.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const change = z.strictObject({
  id: z.int(),
  revision: z.int().meta({ description: 'The dataset revision that it took.' }),
  at: z.iso.datetime(),
  accountId: z.uuid().meta({ description: 'Who did it.' }),
  requestId: z.string(),
  list: z.enum(listNames),
  entryId: z.int(),
  action: z.string().meta({ description: 'create, replace or delete' }),
  before: z.looseObject({}).optional(),
  after: z.looseObject({}).optional(),
});
const changesQuery = z.object({
  list: z.enum(listNames, `must be one of ${listNames.join(', ')}`).optional(),
  entryId: integerText(1, Number.MAX_SAFE_INTEGER).optional(),
  ...pagedQuery.shape,
});

/** Who changed the reference lists. */
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
        summary: 'Audit trail of the reference lists',
        details: 'Needs the role ADMIN. The newest first.',
        returns: 'A page of the changes.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
      },
      query: changesQuery,
      answer: pagedAnswer(change),
      handle: async ({ query: { list, entryId, skip, limit }, call }, response) => {
        const { changes, total } = await reference.listChanges(
          { list: list ? LISTS[list] : ReferenceList.REFERENCE_LIST_UNSPECIFIED, entryId, skip, limit },
          call,
        );
        const parameters = {
          ...(list === undefined ? {} : { list }),
          ...(entryId === undefined ? {} : { entryId: String(entryId) }),
        };
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader({ skip, limit, total, parameters }) })
          .json({ data: changes.map(changeOf), total, skip, limit });
      },
    }),
  ];
}

function changeOf({ at, list, beforeJson, afterJson, ...row }: ReferenceChange): z.output<typeof change> {
  const name = listNames.find((one) => LISTS[one] === list);
  if (!at || !name) throw new Error(`change ${row.id} without a time or a list`);
  const entry = (json: string | undefined) =>
    json === undefined ? undefined : z.looseObject({}).parse(JSON.parse(json));
  return { ...row, at: at.toISOString(), list: name, before: entry(beforeJson), after: entry(afterJson) };
}
