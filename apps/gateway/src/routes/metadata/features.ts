import { listFeatures } from '@esd/api/reference-lists';
import type { Route } from '../../http/route.ts';
import type { Analyses } from '../../reads/analyses.ts';
import { serve } from '../../http/serve.ts';

export function metadataFeatureRoutes(analyze: Analyses): Route[] {
  return [
    serve(listFeatures, {
      handle: ({ request, call }, response) =>
        analyze(
          { question: { $case: 'keys', value: {} }, filter: [], once: true, named: undefined },
          request,
          response,
          call,
        ),
    }),
  ];
}
