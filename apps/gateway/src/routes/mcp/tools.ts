import { paperDoi, paperMembers } from '@esd/api/paper';
import { featureNames } from '@esd/api/names-text';
import { LATEST } from '@esd/api/release-name';
import { filterText, sortQuery } from '@esd/api/record-list';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { papersQuestion } from '@esd/dataset-client/explore-one';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { pageParameters } from '@esd/pages/api-filter';
import { readView, viewQuery } from '@esd/pages/explore-view';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { Filter } from '@esd/record/filter/filter';
import { filterKeys } from '@esd/record/filter/filter-keys';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { citationText } from '@esd/record/metadata/formats/text';
import { citationMetadata } from '@esd/record/metadata/metadata-formats';
import { summarizePaper } from '@esd/record/papers/paper';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { FixedState } from '../../dataset/fixed-state.ts';
import { fixedState, type KnownRelease, type Releases } from '../../dataset/releases.ts';
import { givenParameters, readFilter, readQuery } from '../../http/query.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import type { Analyses } from '../../reads/analyses.ts';
import { readFirstPart } from '../../reads/page-reads.ts';
import type { RecordReads } from '../../reads/record-reads.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { featuresAnswer } from '@esd/api/reference-lists';
import { normalized, publishedRecord } from '@esd/api/dataset';
import { release } from '@esd/api/releases';
import { listed } from '../public/dataset-releases.ts';
import {
  ANALYSES,
  type AnalysisName,
  type AnalysisQueries,
  analysisQuestion,
  type AnalysisResponses,
} from '../public/analysis-questions.ts';
import { few, ofNearest, ofStatistics, ofSummary, withoutDiameter } from './caveats.ts';
import { type Tool, tool, type ToolContext } from './tool.ts';

export interface ToolSources {
  analyses: Analyses;
  records: RecordReads;
  descriptions: Descriptions;
  releases: Releases;
  states: DatasetStates;
  upstream: Pick<Upstream, 'dataset' | 'queries'>;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
}

const MAX_PAPERS = 200;
const STYLES = ['text', 'bibtex', 'ris', 'csl-json'] as const;
/** The members of a record in a list, besides its numbers. */
const LISTED_FIELDS = [
  'polymerProperty.polymerComponents.polymerName',
  'solventProperty.solventComponents.solventName',
  'fiberProperty.isFormationStable',
  'researchMetadata.doi',
] as const;

const filter = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({
    description:
      'Conditions that all must hold, such as {"polymer": "=PVDF", "voltageMin": 15}. `describe_dataset` lists the keys. A text finds a part of a name; with "=" before it, the whole name.',
    additionalProperties: { type: ['string', 'number'] },
  });
const version = z
  .string()
  .optional()
  .meta({ description: 'The identifier or DOI of a release; the latest dataset by default.' });
const repeats = z.enum(['once', 'all']).optional().meta({
  description: 'With "once", records of one paper with equal published values count as one record.',
});

/** The members of every response. */
const common = {
  citation: z.string().nullable().meta({ description: 'Cite this when you use the data. Null for an empty dataset.' }),
  caveats: z.array(z.string()).meta({ description: 'What the numbers do not say. Tell your user.' }),
  source: z.strictObject({
    version: z.string(),
    datasetRevision: z.int(),
    url: z.string().meta({ description: 'The web page that shows the same result.' }),
  }),
};

const listMembers = {
  returned: z.int().meta({ description: 'The number of listed items.' }),
  hasMore: z.boolean().meta({ description: 'Whether more items match.' }),
};
/** The members of a response with the first items of a list. */
const firstItems = { ...listMembers, next: z.null() };
/** The members of a response with some items of a list, after the first `skip`. */
const someItems = {
  ...listMembers,
  skip: z.int(),
  next: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The arguments of the next call, or null.' }),
};

const listedRecord = z.strictObject({
  recordId: z.int(),
  polymers: z.array(z.string()),
  solvents: z.array(z.string()),
  values: normalized,
  isFormationStable: z.boolean().nullable(),
  doi: z.string().nullable(),
  url: z.string(),
});
const shown = z.looseObject({ recordId: z.int(), normalized });
const { versionIdentifier, recordCount, createdAt, doi, license } = release.shape;
const features = featuresAnswer.shape.features;
const citations = z.object({
  data: z.array(
    z.object({
      doi: paperDoi,
      ...paperMembers,
      title: z.string().optional(),
      authors: paperMembers.authors.optional(),
    }),
  ),
  total: z.int(),
});

/** Returns the tools of the Model Context Protocol. Each one calls the functions of the routes that it represents. */
export function mcpTools(sources: ToolSources): Tool[] {
  const { analyses, records, descriptions, releases, states, upstream, facts } = sources;

  /** Finds a release; undefined for the latest dataset. */
  const releaseNamed = async (name: string | undefined, { call }: ToolContext): Promise<KnownRelease | undefined> =>
    name === undefined || name === LATEST ? undefined : releases.find(name, call);

  /** Returns the members of every response. `page` is the path of the web page. */
  const commonOf = async (
    {
      of,
      state,
      page,
      caveats,
    }: { of: KnownRelease | undefined; state: DatasetRevision; page: string; caveats: string[] },
    { exchange, call }: ToolContext,
  ): Promise<z.output<z.ZodObject<typeof common>>> => {
    const isEmpty = !of && (await states.current(call)).committedAt === undefined;
    const described = isEmpty ? undefined : await descriptions.ofDataset(of?.identifier ?? LATEST, call);
    return {
      citation: described ? citationText(described).trim() : null,
      caveats,
      source: {
        version: of?.identifier ?? LATEST,
        datasetRevision: state.revision,
        url: `${exchange.publicRoot}${page}`,
      },
    };
  };

  /** Answers an analysis with the parameters of its route. */
  const analyze = async <Name extends AnalysisName>(
    name: Name,
    parameters: Readonly<Record<string, string | undefined>>,
    of: KnownRelease | undefined,
    { exchange, call }: ToolContext,
  ): Promise<{ state: DatasetRevision; answer: AnalysisResponses[Name] }> => {
    const { query }: { query: z.ZodObject } = ANALYSES[name].latest;
    // The schema of the operation determines the type.
    const values = readQuery(queryOf(parameters), query) as AnalysisQueries[Name];
    const { state, body } = await analyses.find(
      { ...analysisQuestion(name, values), fixed: fixedOf(of) },
      exchange,
      call,
    );
    return { state, answer: parseJson<AnalysisResponses[Name]>(body) };
  };

  return [
    tool({
      name: 'describe_dataset',
      title: 'Describe the dataset',
      description:
        'Size, license and releases of the dataset, and all features, categories and filter keys with their meaning. Call it first.',
      input: z.strictObject({}),
      output: z.strictObject({
        title: z.string(),
        license: z.string(),
        records: z.int(),
        papers: z.int(),
        features,
        categories: features,
        filterKeys: z.array(z.string()),
        versions: z.array(z.strictObject({ versionIdentifier, recordCount, createdAt, doi, license })),
        ...firstItems,
        ...common,
      }),
      run: async (_input, context) => {
        const { exchange, call } = context;
        const question = { $case: 'keys', value: {} } as const;
        const found = await analyses.find({ question, filter: [], once: false, fixed: undefined }, exchange, call);
        const { total, features: keys } = featuresAnswer.parse(JSON.parse(found.body.toString()));
        const { releases: all } = await releases.listed(call);
        return {
          title: facts.title,
          license: facts.license,
          records: total,
          papers: keys.find(({ key }) => key === 'doi')?.distinct ?? 0,
          features: keys.filter(({ type }) => type === 'number'),
          categories: keys.filter(({ type }) => type === 'category'),
          filterKeys: [...filterKeys],
          versions: all.map(listed).map((one) => ({
            versionIdentifier: one.versionIdentifier,
            recordCount: one.recordCount,
            createdAt: one.createdAt,
            doi: one.doi,
            license: one.license,
          })),
          ...{ returned: all.length, hasMore: false, next: null },
          ...(await commonOf(
            { of: undefined, state: found.state, page: '/data-dictionary', caveats: few(total) },
            context,
          )),
        };
      },
    }),
    tool({
      name: 'search_records',
      title: 'Search records',
      description:
        'Lists the experiments that match a filter, with their numbers in the units of the filters (`describe_dataset` lists them).',
      input: z.strictObject({
        filter,
        version,
        sort: z.string().optional().meta({
          description:
            'Up to three comma-separated features, `recordId`, `doi` or `publishedAt`; "-" before one for descending.',
        }),
        limit: z.int().min(1).max(100).default(20),
        skip: z.int().min(0).default(0),
      }),
      output: z.strictObject({ total: z.int(), records: z.array(listedRecord), ...someItems, ...common }),
      note: ({ returned, total, next }) =>
        next === null ? undefined : `Showing ${returned} of ${total}; call again with skip ${String(next['skip'])}.`,
      run: async (input, context) => {
        const { filter: conditions, version: name, sort, limit, skip } = input;
        const text = jsonText(conditions);
        const query = readQuery(queryOf({ sort, filter: text }), z.object({ sort: sortQuery, filter: filterText }));
        const of = await releaseNamed(name, context);
        const found = await readFirstPart(
          upstream.dataset,
          states,
          {
            ...{ skip, limit, filter: readFilter(query.filter), sort: query.sort ?? [] },
            ...{ normalized: true, fields: [...LISTED_FIELDS] },
            ...(of && { fixed: requiredFixed(of) }),
          },
          context.call,
        );
        const { publicRoot: root } = context.exchange;
        const all = z.array(shown).parse(JSON.parse(`[${Buffer.from(found.recordsJson).toString()}]`));
        const list = all.map((one) => listedOf(one, root, of));
        const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, sort, tab: 'table' })}`;
        const shownRecords = list.map((one) => ({
          isFormationStable: one.isFormationStable,
          hasDiameter: one.values.fiberDiameter !== undefined,
        }));
        const caveats = [...few(found.total), ...withoutDiameter(shownRecords)];
        const end = skip + list.length;
        const hasMore = list.length > 0 && end < found.total;
        return {
          total: found.total,
          records: list,
          ...{ returned: list.length, skip, hasMore, next: hasMore ? { ...input, skip: end } : null },
          ...(await commonOf({ of, state: found.state, page, caveats }, context)),
        };
      },
    }),
    tool({
      name: 'summarize',
      title: 'Summarize matching records',
      description:
        'Counts the records and papers that match a filter, how many runs were stable, and the tried runs that a filter by a result hides.',
      input: z.strictObject({ filter, version, repeats }),
      output: ANALYSES.summary.latest.response.extend(common),
      run: async ({ filter: conditions, version: name, repeats: repeated }, context) => {
        const of = await releaseNamed(name, context);
        const parameters = { filter: jsonText(conditions), repeats: repeated };
        const { state, answer } = await analyze('summary', parameters, of, context);
        const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, repeats: repeated })}`;
        return { ...answer, ...(await commonOf({ of, state, page, caveats: ofSummary(answer) }, context)) };
      },
    }),
    tool({
      name: 'statistics',
      title: 'Statistics of features',
      description:
        'Count, quantiles and mean of features (all by default) over the matching records, each in its unit.',
      input: z.strictObject({
        features: z.array(z.enum(featureNames)).min(1).optional(),
        filter,
        version,
        repeats,
      }),
      output: ANALYSES.statistics.latest.response.extend(common),
      run: async ({ features: names, filter: conditions, version: name, repeats: repeated }, context) => {
        const of = await releaseNamed(name, context);
        const parameters = { features: names?.join(), filter: jsonText(conditions), repeats: repeated };
        const { state, answer } = await analyze('statistics', parameters, of, context);
        const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, repeats: repeated })}`;
        return { ...answer, ...(await commonOf({ of, state, page, caveats: ofStatistics(answer) }, context)) };
      },
    }),
    tool({
      name: 'nearest',
      title: 'Nearest experiments',
      description:
        'Finds the published experiments most similar to a recipe, with their fiber diameters and stability. It does not predict a result.',
      input: z.strictObject({
        recipe: z.record(z.string(), z.unknown()).meta({
          description:
            'Features with a number in the unit of their filter; `polymer` and `solvent` with a name or a list of names, such as {"polymer": "PVDF", "voltage": 15, "tipDist": 12}.',
        }),
        k: z.int().min(1).max(50).default(10),
        filter,
      }),
      output: ANALYSES.nearest.latest.response.extend({ ...firstItems, ...common }),
      run: async ({ recipe, k, filter: conditions }, context) => {
        const parameters = { recipe: jsonText(recipe), k: String(k), filter: jsonText(conditions) };
        const { state, answer } = await analyze('nearest', parameters, undefined, context);
        const page = `/explore${exploreQuery({ filter: conditions, recipe, tab: 'nearest' })}`;
        const returned = answer.neighbors.length;
        return {
          ...answer,
          ...{ returned, hasMore: returned < answer.total, next: null },
          ...(await commonOf({ of: undefined, state, page, caveats: ofNearest(answer) }, context)),
        };
      },
    }),
    tool({
      name: 'get_record',
      title: 'Get a record',
      description: 'All published values of one experiment as reported, its numbers in common units, and its releases.',
      input: z.strictObject({ recordId: z.int().min(1), version }),
      output: publishedRecord.extend({
        data: z.looseObject({ recordId: z.int() }).meta({ description: 'The record as published.' }),
        ...common,
      }),
      run: async ({ recordId, version: name }, context) => {
        const of = await releaseNamed(name, context);
        const { state, body } = await records.find(recordId, of, context.call);
        const { data, ...rest } = publishedRecord.parse(JSON.parse(body.toString()));
        const { data: values } = parsePublicRecord(JSON.stringify(data));
        const { isFormationStable = null } = values.fiberProperty ?? {};
        const hasDiameter = rest.normalized.fiberDiameter !== undefined;
        const caveats = [
          ...(rest.withdrawn ? ['The record has been withdrawn since this release.'] : []),
          ...withoutDiameter([{ isFormationStable, hasDiameter }]),
        ];
        const page = `/record/${recordId}${of ? `?version=${encodeURIComponent(of.identifier)}` : ''}`;
        return {
          ...rest,
          data: z.looseObject({ recordId: z.int() }).parse(data),
          ...(await commonOf({ of, state, page, caveats }, context)),
        };
      },
    }),
    tool({
      name: 'cite',
      title: 'Cite the dataset',
      description:
        'The citation of a release, of the latest dataset, or of the records that match a filter, and the papers to cite with it.',
      input: z.strictObject({ version, filter, style: z.enum(STYLES).default('text') }),
      output: z.strictObject({
        text: z.string(),
        style: z.enum(STYLES),
        papers: z.array(
          z.strictObject({
            doi: paperDoi,
            title: z.string().optional(),
            authors: z.string().optional(),
            year: z.int().optional(),
            journal: z.string().optional(),
          }),
        ),
        permanentQueryUrl: z.string().nullable().meta({
          description: 'The URL of the stored query with the same filter and records; null if none is stored.',
        }),
        ...firstItems,
        ...common,
      }),
      run: async ({ version: name, filter: conditions = {}, style }, context) => {
        const { exchange, call } = context;
        const conditionsList = readFilter(jsonText(conditions));
        const of = await releaseNamed(name, context);
        const id = conditionsList.length === 0 ? undefined : await findQuery(conditionsList, of, context);
        const question = papersQuestion({ limit: MAX_PAPERS, citations: true });
        const asked = { question, filter: conditionsList, once: false, fixed: fixedOf(of) };
        const { state, body } = await analyses.find(asked, exchange, call);
        const { data, total } = citations.parse(JSON.parse(body.toString()));
        const cited =
          id === undefined ? descriptions.ofDataset(of?.identifier ?? LATEST, call) : descriptions.ofQuery(id, call);
        const page =
          id !== undefined
            ? `/query/${id}`
            : conditionsList.length === 0
              ? `/release/${encodeURIComponent(of?.identifier ?? LATEST)}`
              : `/explore${exploreQuery({ filter: conditions, version: of?.identifier })}`;
        const caveats = [
          ...(of || id !== undefined
            ? []
            : ['The latest dataset changes with each approval. Cite a release if you can.']),
          ...(id === undefined && conditionsList.length > 0
            ? ['The citation is that of the whole dataset. POST /public/queries stores the filter under its own URL.']
            : []),
          ...(total > data.length ? [`The list has the first ${data.length} of ${total} papers.`] : []),
        ];
        return {
          text: citationMetadata(await cited, style).text,
          style,
          papers: data.map(summarizePaper),
          permanentQueryUrl: id === undefined ? null : `${exchange.publicRoot}/public/queries/${id}`,
          ...{ returned: data.length, hasMore: data.length < total, next: null },
          ...(await commonOf({ of, state, page, caveats }, context)),
        };
      },
    }),
  ];

  async function findQuery(
    conditions: Filter,
    of: KnownRelease | undefined,
    { call }: ToolContext,
  ): Promise<string | undefined> {
    const wanted = { filter: filterToWire(conditions), version: of?.identifier, atLeast: states.latest() };
    return (await upstream.queries.findQuery(wanted, call)).id;
  }
}

function listedOf(
  { recordId, normalized: values, ...record }: z.output<typeof shown>,
  root: string,
  of: KnownRelease | undefined,
): z.output<typeof listedRecord> {
  const { data } = parsePublicRecord(JSON.stringify({ recordId, ...record }));
  const { polymerProperty, solventProperty, fiberProperty, researchMetadata } = data;
  const isName = (name: string | undefined): name is string => name !== undefined;
  return {
    recordId,
    polymers: (polymerProperty?.polymerComponents ?? []).map(({ polymerName }) => polymerName).filter(isName),
    solvents: (solventProperty?.solventComponents ?? []).map(({ solventName }) => solventName).filter(isName),
    values,
    isFormationStable: fiberProperty?.isFormationStable ?? null,
    doi: researchMetadata?.doi ?? null,
    url: `${root}/record/${recordId}${of ? `?version=${encodeURIComponent(of.identifier)}` : ''}`,
  };
}

// Each analysis depends on the rules that interpret values.
function requiredFixed(of: KnownRelease): FixedState {
  return fixedState(of, of.identifier, true);
}

function fixedOf(of: KnownRelease | undefined): FixedState | undefined {
  return of && requiredFixed(of);
}

function jsonText(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  return `?${new URLSearchParams(givenParameters(parameters)).toString()}`;
}

/** Returns the query of the explore page for the arguments of a tool, which were valid. */
function exploreQuery({
  filter: conditions = {},
  recipe = {},
  ...others
}: {
  filter?: Readonly<Record<string, unknown>> | undefined;
  recipe?: Readonly<Record<string, unknown>>;
  version?: string | undefined;
  repeats?: string | undefined;
  sort?: string | undefined;
  tab?: string;
}): string {
  const ofRecipe = Object.entries(recipe).map(
    ([key, value]) => [`recipe.${key}`, Array.isArray(value) ? value.join('|') : String(value)] as const,
  );
  const ofFilter = pageParameters(JSON.stringify(conditions));
  return viewQuery(readView([...ofFilter, ...ofRecipe, ...Object.entries(givenParameters(others))]).view);
}
