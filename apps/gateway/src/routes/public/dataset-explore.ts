import { z } from 'zod';
import type { ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { fixedState, type Releases } from '../../dataset/releases.ts';
import { integerText } from '../../http/query.ts';
import type { Description } from '../../http/route-description.ts';
import { route, type Route } from '../../http/route.ts';
import type { Analyses } from '../../kept/analyses.ts';
import { filterText, readFilter } from '../../kept/page-query.ts';
import { categoryList } from '../../schemas/names-text.ts';
import { releasePath } from '../../schemas/release-name.ts';

/** A kind of analysis as the interface has it. */
interface Analysis<Shape extends z.ZodRawShape> {
  /** The end of its path. */
  name: string;
  query: z.ZodObject<Shape>;
  ask: (query: z.output<z.ZodObject<Shape>>) => {
    filter: string | undefined;
    question: NonNullable<ExploreRequest['question']>;
  };
  describe: Pick<Description, 'summary' | 'details' | 'returns'> & {
    /** Of an example. */
    parameters?: Readonly<Record<string, string | number>>;
  };
  answer: z.ZodType;
}

const LATEST = 'latest';

const total = z.int().min(0).meta({ description: 'The number of records that match the filter.' });
const version = z.string().meta({ description: '`latest` or the identifier of a version.' });
const count = z.int().min(0);

const facetsQuery = z.object({
  filter: filterText,
  keys: categoryList.optional(),
  limit: integerText(1, 1000)
    .default(20)
    .meta({ default: 20, description: 'The maximum number of values per category.' }),
});

const facets: Analysis<typeof facetsQuery.shape> = {
  name: 'facets',
  query: facetsQuery,
  ask: ({ filter, keys = [...categoryKeys], limit }) => ({
    filter,
    question: { $case: 'facets', value: { keys, limit } },
  }),
  describe: {
    summary: 'Count the values of categories',
    details:
      'A record counts once under each distinct value that it has. The values of each category are counted under the filter without the key of that category, so that the alternatives stay visible; `total` is counted under the whole filter.',
    returns: 'For each category its most frequent values, by count in descending order, then by value.',
    parameters: { keys: 'polymer,solvent', filter: '{"voltageMin":15}' },
  },
  answer: z.strictObject({
    total,
    version,
    facets: z.partialRecord(
      z.enum(categoryKeys),
      z.strictObject({
        values: z.array(z.strictObject({ value: z.string(), count })),
        distinct: count.meta({ description: 'The number of distinct values.' }),
        missing: count.meta({ description: 'The number of records without a value.' }),
      }),
    ),
  }),
};

/** Analyses of the dataset and of its versions. */
export function exploreRoutes(answer: Analyses, versions: Releases): Route[] {
  return [...routesOf(facets, answer, versions)];
}

/** The routes of an analysis: of the latest dataset, and of a version. */
function routesOf<Shape extends z.ZodRawShape>(
  { name, query, ask, describe, answer: shape }: Analysis<Shape>,
  answer: Analyses,
  versions: Releases,
): Route[] {
  const { parameters, ...words } = describe;
  const common = { method: 'get', caller: 'ignored', limit: 'analysis', query, answer: shape } as const;
  const description = { tag: 'Analysis', revalidates: true, ...words } as const;
  const asked = (values: z.output<z.ZodObject<Shape>>) => {
    const { filter, question } = ask(values);
    return { question, filter: filter === undefined ? [] : readFilter(filter), filterText: filter };
  };
  return [
    route({
      ...common,
      path: `/public/dataset/${name}`,
      describe: { ...description, errors: ['INVALID_FILTER'], example: { parameters: { ...parameters } } },
      handle: ({ query: values, request, call }, response) =>
        answer({ ...asked(values), fixed: undefined }, request, response, call),
    }),
    route({
      ...common,
      // The version may be a DOI, whose slashes stand in the path.
      path: `/public/dataset/*version/${name}`,
      describe: {
        ...description,
        summary: `${description.summary} of a version`,
        errors: ['INVALID_FILTER', 'VERSION_NOT_FOUND'],
        example: { parameters: { ...parameters, version: 'v1.0.0' } },
      },
      parameters: z.object({ version: releasePath }),
      handle: async ({ query: values, parameters: { version: name }, request, call }, response) => {
        const question = asked(values);
        // What an answer says depends on rules, however it is asked.
        const fixed = name === LATEST ? undefined : fixedState(await versions.find(name, call), name, true);
        await answer({ ...question, fixed }, request, response, call);
      },
    }),
  ];
}
