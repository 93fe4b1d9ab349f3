import { LATEST } from '@esd/api/release-name';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { pageParameters } from '@esd/pages/api-filter';
import { readView, viewQuery } from '@esd/pages/explore-view';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { citationText } from '@esd/record/metadata/formats/text';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import { namedState, type NamedState } from '../../dataset/named-state.ts';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import { givenParameters, readQuery } from '../../http/query.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import type { Analyses } from '../../reads/analyses.ts';
import type { RecordReads } from '../../reads/record-reads.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import {
  ANALYSES,
  type AnalysisName,
  type AnalysisQueries,
  type AnalysisResponses,
  analysisQuestion,
} from '../public/analysis-questions.ts';
import type { ToolContext } from './tool.ts';

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

export const filter = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({
    description:
      'Conditions that all must hold, such as {"polymer": "=PVDF", "voltageMin": 15}. `describe_dataset` lists the keys. A text finds a part of a name; with "=" before it, the whole name. {"solventSystem": "DMF/acetone"} is exactly this blend, {"solvent": "DMF & acetone"} any record with both.',
    additionalProperties: { type: ['string', 'number'] },
  });
export const version = z
  .string()
  .optional()
  .meta({ description: 'The identifier or DOI of a release; the latest dataset by default.' });

/** The members of every response. */
export const common = {
  citation: z.string().nullable().meta({ description: 'Cite this when you use the data. Null for an empty dataset.' }),
  caveats: z.array(z.string()).meta({ description: 'What the numbers do not say. Tell your user.' }),
  source: z.strictObject({
    version: z.string(),
    datasetRevision: z.int(),
    url: z.string().meta({ description: 'The web page that shows the same result.' }),
  }),
};

export const listMembers = {
  returned: z.int().meta({ description: 'The number of listed items.' }),
  hasMore: z.boolean().meta({ description: 'Whether more items match.' }),
};
/** The members of a response with the first items of a list. */
export const firstItems = { ...listMembers, next: z.null() };
/** The members of a response with some items of a list, after the first `skip`. */
export const someItems = {
  ...listMembers,
  skip: z.int(),
  next: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The arguments of the next call, or null.' }),
};

/** The sources and functions that the tools share. */
export type ToolParts = ReturnType<typeof toolParts>;

export function toolParts(sources: ToolSources) {
  const { analyses, descriptions, releases, states } = sources;

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
      { ...analysisQuestion(name, values), named: namedStateOf(of) },
      exchange,
      call,
    );
    return { state, answer: parseJson<AnalysisResponses[Name]>(body) };
  };

  return { ...sources, releaseNamed, commonOf, analyze };
}

// Each analysis depends on the rules that interpret values.
export function namedStateOf(of: KnownRelease | undefined): NamedState | undefined {
  return of && namedState(of, of.identifier, true);
}

export function jsonText(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  return `?${new URLSearchParams(givenParameters(parameters)).toString()}`;
}

/** Returns the query of the explore page for the arguments of a tool, which were valid. */
export function exploreQuery({
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
