import type { Operation } from '@esd/api/operation';
import { LATEST } from '@esd/api/release-name';
import { namedState } from '../../dataset/named-state.ts';
import type { Releases } from '../../dataset/releases.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Analyses } from '../../reads/analyses.ts';
import { ANALYSES, type AnalysisName, type AnalysisQueries, analysisQuestion } from './analysis-questions.ts';

export function exploreRoutes(answer: Analyses, releases: Releases): Route[] {
  return [
    ...routesOf('summary', answer, releases),
    ...routesOf('facets', answer, releases),
    ...routesOf('statistics', answer, releases),
    ...routesOf('histogram', answer, releases),
    ...routesOf('coverage', answer, releases),
    ...routesOf('grid', answer, releases),
    ...routesOf('points', answer, releases),
    ...routesOf('nearest', answer, releases),
  ];
}

type ReleaseOperation = Operation & Pick<typeof ANALYSES.summary.ofRelease, 'parameters'>;

/** Returns the routes of an analysis, for the latest dataset and for a release. */
function routesOf(name: AnalysisName, answer: Analyses, releases: Releases): Route[] {
  // The query of both operations has the same schema.
  const { latest, ofRelease }: { latest: Operation; ofRelease: ReleaseOperation } = ANALYSES[name];
  const questionOf = (query: unknown) => analysisQuestion(name, query as AnalysisQueries[AnalysisName]);
  return [
    serve(latest, {
      handle: ({ query, request, call }, response) =>
        answer({ ...questionOf(query), named: undefined }, request, response, call),
    }),
    serve(ofRelease, {
      handle: async ({ query, parameters: { version }, request, call }, response) => {
        const question = questionOf(query);
        // Each analysis depends on the rules that interpret values.
        const named = version === LATEST ? undefined : namedState(await releases.find(version, call), version, true);
        await answer({ ...question, named }, request, response, call);
      },
    }),
  ];
}
