import { listToWire } from '@esd/dataset-client/list-names';
import { getEntryUse } from '@esd/api/reference-lists';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function metadataUseRoutes({ reference, referenceUse }: Pick<Upstream, 'reference' | 'referenceUse'>): Route[] {
  return [
    serve(getEntryUse, {
      targets: ['esd.dataset.v1.ReferenceService', 'esd.submission.v1.ReferenceUseService'],
      handle: async ({ parameters: { list, id }, call }, response) => {
        const { names } = await reference.listEntryNames({ list: listToWire(list), id }, call);
        const { records } = await referenceUse.countUse({ list: listToWire(list), names }, call);
        response.set('Cache-Control', 'no-store').json({ names, records });
      },
    }),
  ];
}
