import { paperDoi, paperMembers } from '@esd/api/paper';
import { LATEST, releasePath } from '@esd/api/release-name';
import { stateHeaders } from '@esd/api/dataset-headers';
import { papersQuestion, type Question } from '@esd/dataset-client/explore-one';
import type { Filter } from '@esd/record/filter/filter';
import { citationFileNames, citationFiles } from '@esd/record/papers/citation-files';
import { paperSources } from '@esd/record/papers/paper';
import { ServiceError } from '@esd/service/errors';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { FixedState } from '../../dataset/fixed-state.ts';
import type { PublicQueries } from '../../dataset/public-queries.ts';
import { BY_RULES, fixedState, type Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import { limitBySecondClass } from '../../http/limits/limit-by.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { readFilter } from '../../http/page-query.ts';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import type { Description } from '@esd/api/operation';
import type { Analyses } from '../../reads/analyses.ts';
import { sendCitationFile } from '../../reads/citation-file.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { count, figure, selection, version } from './explore-parts.ts';

const SORTS = ['records', 'year', 'doi'] as const;
const sortNames = SORTS.flatMap((name) => [name, `-${name}`]);

const pageShape = {
  sort: z.enum(sortNames).optional().meta({
    default: '-records',
    description:
      'With `-` before a key for descending order. Ties are in ascending order of `doi`; a missing year comes last.',
  }),
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional().meta({ type: 'integer', minimum: 0, default: 0 }),
  limit: integerText(1, 1000).optional().meta({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  design: z
    .enum(['true', 'false'])
    .optional()
    .meta({ default: 'false', description: 'With `true`, each paper lists the settings that its records report.' }),
  format: z
    .enum(citationFileNames)
    .optional()
    .meta({ description: 'All papers as one citation file, without other parameters than `filter` and `repeats`.' }),
};
const papersQuery = z.object({ ...selection, ...pageShape });
const { skip, limit, format } = pageShape;
const queryPapersQuery = z.object({ skip, limit, format });

const paper = z.strictObject({
  doi: paperDoi,
  ...paperMembers,
  title: z.string().optional().meta({ description: 'Absent if neither the list of papers nor a record gives one.' }),
  authors: paperMembers.authors.optional(),
  source: z
    .enum([...paperSources, 'records'])
    .nullable()
    .meta({ description: '`records` if the title comes from the records; null without a title.' }),
  records: count,
  stable: count,
  unstable: count,
  polymers: z.array(z.string()),
  solvents: z.array(z.string()),
  fiberDiameter: z.strictObject({ count, q25: figure, median: figure, q75: figure }),
  design: z
    .array(
      z.strictObject({
        key: z.string(),
        reported: count.meta({ description: 'The number of records with a value.' }),
        distinct: count.meta({ description: 'The number of distinct values.' }),
        values: z
          .array(z.union([z.number(), z.string()]))
          .meta({ description: 'The first 20 distinct values, ascending, in the unit of the filter.' }),
      }),
    )
    .optional(),
});

const papersAnswer = z.strictObject({
  data: z.array(paper),
  total: count.meta({ description: 'The number of papers.' }),
  withoutPaper: count.meta({ description: 'The number of matching records without a paper.' }),
  skip: count,
  limit: z.int().min(1).max(1000),
  version,
});

interface PageQuery {
  sort?: string | undefined;
  skip?: number | undefined;
  limit?: number | undefined;
  design?: 'true' | 'false' | undefined;
  format?: (typeof citationFileNames)[number] | undefined;
}

interface Sources {
  answer: Analyses;
  states: DatasetStates;
  releases: Releases;
  queries: PublicQueries;
  upstream: Pick<Upstream, 'dataset'>;
  limits: RateLimits;
}

/** Returns the routes of the papers of the latest dataset, a release, and a public query. */
export function papersRoutes({ answer, states, releases, queries, upstream: { dataset }, limits }: Sources): Route[] {
  const send = async (
    query: PageQuery,
    { filter, once, fixed }: { filter: Filter; once: boolean; fixed: FixedState | undefined },
    request: Request,
    response: Response,
    call: Call,
  ): Promise<void> => {
    const { format } = query;
    if (format === undefined) {
      await answer({ question: questionOf(query), filter, once, fixed }, request, response, call);
      return;
    }
    requireAlone(format, query);
    limitBySecondClass(limits, 'exports', request.exchange);
    const state = fixed?.state ?? (await states.current(call));
    await sendCitationFile(dataset, { format, filter, once, state, fixed }, request, response, call);
  };
  const common = { method: 'get', caller: 'ignored', limit: 'analysis', answer: papersAnswer } as const;
  const description = {
    tag: 'Analysis',
    summary: 'List the papers of records',
    details:
      'Counts and figures of each paper over the matching records. Bibliographic facts come from the list of papers at the state that is read. With `format`, the response is a file and counts in the rate limit `exports`.',
    returns: 'A page of papers. Values of `design` are those that a filter can compare.',
    otherTypes: citationFileNames.map((name) => citationFiles[name].mediaType.replace(/;.*/, '')),
    answerHeaders: stateHeaders,
    revalidates: true,
  } satisfies Description;
  return [
    route({
      ...common,
      path: '/public/dataset/papers',
      describe: {
        ...description,
        errors: ['INVALID_FILTER'],
        example: { parameters: { filter: '{"polymer":"PVDF"}' } },
      },
      query: papersQuery,
      handle: ({ query: { filter, repeats, ...query }, request, call }, response) =>
        send(
          query,
          { filter: readFilter(filter), once: repeats === 'once', fixed: undefined },
          request,
          response,
          call,
        ),
    }),
    route({
      ...common,
      path: '/public/dataset/*version/papers',
      describe: {
        ...description,
        summary: `${description.summary} of a release`,
        errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
        example: { parameters: { version: 'v1.0.0' } },
      },
      parameters: z.object({ version: releasePath }),
      query: papersQuery,
      handle: async (
        { query: { filter, repeats, ...query }, parameters: { version: name }, request, call },
        response,
      ) => {
        const conditions = readFilter(filter);
        const fixed = name === LATEST ? undefined : fixedState(await releases.find(name, call), name, true);
        await send(query, { filter: conditions, once: repeats === 'once', fixed }, request, response, call);
      },
    }),
    route({
      ...common,
      path: '/public/queries/:id/papers',
      describe: {
        ...description,
        tag: 'Queries',
        summary: 'List the papers of a public query',
        details: 'Bibliographic facts come from the list of papers at the dataset revision of the query.',
        errors: ['QUERY_NOT_FOUND'],
        example: { parameters: { id: 'cfb88d67ce1d208f0d8c3a27bf10e81b' } },
      },
      parameters: z.object({ id: z.string() }),
      query: queryPapersQuery,
      handle: async ({ query, parameters: { id }, request, call }, response) => {
        const { state } = await queries.find(id, call);
        const fixed = { state, version: `query-${id}`, cacheControl: BY_RULES, isFixed: true, queryId: id };
        await send(query, { filter: [], once: false, fixed }, request, response, call);
      },
    }),
  ];
}

function questionOf({ sort = '-records', skip = 0, limit = 100, design }: PageQuery): Question {
  const descending = sort.startsWith('-');
  return papersQuestion({ sort: sort.replace('-', ''), descending, skip, limit, design: design === 'true' });
}

/** Throws INVALID_PARAMETER if a parameter of a page is sent with the format of a file. */
function requireAlone(format: string, { sort, skip, limit, design }: PageQuery): void {
  const [other] = Object.entries({ sort, skip, limit, design }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (other === undefined) return;
  const message = `\`${other}\` cannot be combined with \`format=${format}\`, which returns all papers; leave it out.`;
  throw new ServiceError('INVALID_PARAMETER', message);
}
