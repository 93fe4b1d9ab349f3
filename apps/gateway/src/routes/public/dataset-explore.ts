import { releasePath } from '@esd/api/release-name';
import { stateHeaders } from '@esd/api/dataset-headers';
import { z } from 'zod';
import { fixedState, type Releases } from '../../dataset/releases.ts';
import { route, type Route } from '../../http/route.ts';
import type { Analyses } from '../../reads/analyses.ts';
import { readFilter } from '../../http/page-query.ts';
import { coverage, facets, histogram, statistics, summary } from './explore-figures.ts';
import type { Analysis } from './explore-parts.ts';
import { grid, nearest, points } from './explore-records.ts';

const LATEST = 'latest';

export function exploreRoutes(answer: Analyses, releases: Releases): Route[] {
  return [
    ...routesOf(summary, answer, releases),
    ...routesOf(facets, answer, releases),
    ...routesOf(statistics, answer, releases),
    ...routesOf(histogram, answer, releases),
    ...routesOf(coverage, answer, releases),
    ...routesOf(grid, answer, releases),
    ...routesOf(points, answer, releases),
    ...routesOf(nearest, answer, releases),
  ];
}

/** Returns the routes of an analysis, for the latest dataset and for a release. */
function routesOf<Shape extends z.ZodRawShape>(
  { name, query, ask, describe, answer: shape }: Analysis<Shape>,
  answer: Analyses,
  releases: Releases,
): Route[] {
  const { parameters, ...words } = describe;
  const common = { method: 'get', caller: 'ignored', limit: 'analysis', query, answer: shape } as const;
  const description = { tag: 'Analysis', answerHeaders: stateHeaders, revalidates: true, ...words } as const;
  const questionOf = (values: z.output<z.ZodObject<Shape>>) => {
    const { filter, repeats, question } = ask(values);
    return { question, filter: readFilter(filter), once: repeats === 'once' };
  };
  return [
    route({
      ...common,
      path: `/public/dataset/${name}`,
      describe: { ...description, errors: ['INVALID_FILTER'], example: { parameters: { ...parameters } } },
      handle: ({ query: values, request, call }, response) =>
        answer({ ...questionOf(values), fixed: undefined }, request, response, call),
    }),
    route({
      ...common,
      path: `/public/dataset/*version/${name}`,
      describe: {
        ...description,
        summary: `${description.summary} of a release`,
        errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
        example: { parameters: { ...parameters, version: 'v1.0.0' } },
      },
      parameters: z.object({ version: releasePath }),
      handle: async ({ query: values, parameters: { version: name }, request, call }, response) => {
        const question = questionOf(values);
        // Each analysis depends on the rules that interpret values.
        const fixed = name === LATEST ? undefined : fixedState(await releases.find(name, call), name, true);
        await answer({ ...question, fixed }, request, response, call);
      },
    }),
  ];
}
