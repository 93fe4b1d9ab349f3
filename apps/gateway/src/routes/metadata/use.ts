import { z } from 'zod';
import { LIST_NAMES } from '@esd/record/reference/list-names';
import { listToWire } from '@esd/dataset-client/list-names';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const entryPath = z.object({ list: z.enum(LIST_NAMES), id: integerText(1, Number.MAX_SAFE_INTEGER) });
const use = z.strictObject({
  names: z.array(z.string()).meta({ description: 'The names under which records store the entry.' }),
  records: z
    .int()
    .min(0)
    .meta({ description: 'The number of records, of any status, whose newest revision has one of the names.' }),
});

export function metadataUseRoutes({ reference, referenceUse }: Pick<Upstream, 'reference' | 'referenceUse'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/admin/metadata/:list/:id/use',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReferenceService', 'esd.submission.v1.ReferenceUseService'],
      describe: {
        tag: 'Reference lists',
        summary: 'Count the records that use an entry',
        details: 'Requires the role ADMIN.',
        returns: 'The names of the entry, and the number of records.',
        errors: ['FORBIDDEN', 'ENTRY_NOT_FOUND'],
        example: { parameters: { list: 'polymers', id: 1 } },
      },
      parameters: entryPath,
      answer: use,
      handle: async ({ parameters: { list, id }, call }, response) => {
        const { names } = await reference.listEntryNames({ list: listToWire(list), id }, call);
        const { records } = await referenceUse.countUse({ list: listToWire(list), names }, call);
        response.set('Cache-Control', 'no-store').json({ names, records });
      },
    }),
  ];
}
