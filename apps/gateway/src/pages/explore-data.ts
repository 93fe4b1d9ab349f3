import { featureNames } from '@esd/api/names-text';
import { papersQuestion } from '@esd/dataset-client/explore-one';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { ExploreData } from '@esd/pages/explore-data';
import { pageSize, type Part, type PlainPart, plainParts } from '@esd/pages/explore-page';
import { defaultScale, type ExploreView, recipeOf, withFilter } from '@esd/pages/explore-view';
import type { ExploreQuestion, ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { type CategoryKey, categoryKeys, type Feature, recordFeatures } from '@esd/record/filter/filter-keys';
import { parseSort } from '@esd/record/filter/sort-keys';
import { triedFilter } from '@esd/record/metadata/key-labels';
import { ServiceError } from '@esd/service/errors';
import { type DatasetStates, requireState } from '../dataset/dataset-states.ts';
import type { KnownRelease } from '../dataset/releases.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

type Question = NonNullable<ExploreQuestion['question']>;

/** A question, and the member of the data that stores its answer: a name, or `histograms` and a feature. */
interface MemberQuestion {
  question: Question;
  member: keyof ExploreData | readonly ['histograms', Feature];
}

/** The members of an ExploreData, each as JSON in UTF-8. */
export type ExploreMembers = ReadonlyMap<string, Uint8Array>;

export interface ExploreQuestions {
  view: ExploreView;
  parts: readonly Part[];
  release: KnownRelease | undefined;
}

const FACET_KEYS: readonly CategoryKey[] = categoryKeys;
const FACET_VALUES = 100;
const HISTOGRAM_BINS = 24;
const WINDOW = { x: 15, y: 15 };
// As many columns as fit in a phone.
const NARROW_WINDOW = { x: 6, y: 8 };
const MAX_POINTS = 5_000;
const MAX_COVERED = 40;
const MAX_PAPERS = 100;
const MAX_LISTED_PAPERS = 10_000;
const NEIGHBORS = 20;
/** The parts that name papers. */
const NAMING_PAPERS: ReadonlySet<Part> = new Set<Part>([
  'facets',
  'coverage',
  'papers',
  'allPapers',
  'nearest',
  'records',
]);

// The fields of a table row in addition to the numbers: names, and units as published.
const ROW_FIELDS = [
  'polymerProperty.polymerComponents.polymerName',
  'solventProperty.solventComponents.solventName',
  'needleProperty.needleType',
  'collectorProperty.collectorType',
  'processParameter.instability',
  'fiberProperty.isFormationStable',
  'fiberProperty.fiberMorphology',
  'mechanicalProperty.fractureBehaviour',
  'researchMetadata.doi',
  ...recordFeatures.map(({ path }) => path),
];

/** Reads the data of `/explore` in one call. The answers stay unparsed, because only the browser reads them. */
export function exploreData(
  dataset: Pick<Upstream['dataset'], 'explore'>,
  states: DatasetStates,
): (questions: ExploreQuestions, call: Call) => Promise<ExploreMembers> {
  const fetchAnswers = async (
    request: Omit<ExploreRequest, 'revision' | 'atLeast' | 'version'>,
    release: KnownRelease | undefined,
    call: Call,
  ) => {
    const requestedAt = performance.now();
    const answer = await dataset.explore(
      {
        ...request,
        revision: release?.state.revision,
        atLeast: release ? undefined : states.latest(),
        version: release?.identifier ?? 'latest',
      },
      call,
    );
    const state = requireState(answer.state);
    if (!release) states.observe(state, requestedAt);
    return { ...answer, state };
  };
  const totalOf = async (view: ExploreView, release: KnownRelease | undefined, call: Call): Promise<number> => {
    const question = {
      filter: filterToWire(view.conditions),
      questions: [],
      records: undefined,
      recordIds: [],
      once: false,
    };
    return (await fetchAnswers(question, release, call)).total;
  };
  const read = async ({ view, parts, release }: ExploreQuestions, call: Call) => {
    const requested = questionsOf(view, parts);
    const limit = parts.includes('records') ? pageSize(view) : 0;
    const { state, total, answersJson, recordsJson, chosenJson, papersJson, namesJson } = await fetchAnswers(
      {
        filter: filterToWire(view.conditions),
        questions: requested.map(({ question }) => ({ question })),
        records: { skip: (view.page - 1) * limit, limit, sort: sortOf(view), fields: ROW_FIELDS },
        recordIds: parts.includes('compared') ? [...view.compare] : [],
        once: view.repeats === 'once',
        papers: parts.some((part) => NAMING_PAPERS.has(part)),
        names: parts.includes('facets'),
      },
      release,
      call,
    );
    const { revision, recordCount: size } = state;
    const members = new Map<string, Uint8Array>(
      Object.entries({ revision, size, total }).map(([name, value]) => [name, json(value)]),
    );
    const histograms = new Map<Feature, Uint8Array>();
    for (const [at, { member }] of requested.entries()) {
      const answer = answersJson[at];
      if (!answer) throw new Error(`dataset-svc answered ${answersJson.length} of ${requested.length} questions`);
      if (typeof member === 'string') members.set(member, answer);
      else histograms.set(member[1], answer);
    }
    if (histograms.size > 0) members.set('histograms', jsonObject(histograms));
    if (limit > 0) members.set('records', recordsJson);
    if (papersJson) members.set('knownPapers', papersJson);
    if (namesJson) members.set('knownSubstances', namesJson);
    if (parts.includes('compared')) members.set('compared', chosenJson);
    return { total, members };
  };
  return async (questions, call) => {
    const { view, release, parts } = questions;
    const { total, members } = await read(questions, call).catch(async (error: unknown) => {
      // The page shows the error next to the recipe and still loads the other parts.
      if (!isAboutRecipe(error, questions)) throw error;
      const others = await read({ ...questions, parts: parts.filter((part) => part !== 'nearest') }, call);
      others.members.set('nearest', json(error.message));
      return others;
    });
    if (total > 0 || view.filter.length === 0) return members;
    const keys = [...new Set(view.filter.map(([key]) => key.replace(/(?:Min|Max)$/, '')))];
    const without = await Promise.all(
      keys.map(async (key) => {
        const fewer = withFilter(view, { [key]: undefined, [`${key}Min`]: undefined, [`${key}Max`]: undefined });
        return [key, await totalOf(fewer, release, call)] as const;
      }),
    );
    return members.set('without', json(Object.fromEntries(without)));
  };
}

/** Joins members, whose values are JSON in UTF-8, into a JSON object. */
export function jsonObject(members: ReadonlyMap<string, Uint8Array>): Buffer {
  const parts = [...members].flatMap(([name, value], at) => [
    Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(name)}:`),
    value,
  ]);
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function isAboutRecipe(error: unknown, { parts }: ExploreQuestions): error is ServiceError {
  return error instanceof ServiceError && error.code === 'INVALID_PARAMETER' && parts.includes('nearest');
}

/** Parses the parameter `parts`; undefined if it is absent. Throws INVALID_PARAMETER. */
export function readParts(text: string | null): readonly Part[] | undefined {
  if (text === null) return undefined;
  return text.split(',').map((name) => {
    const feature = name.startsWith('histogram.') ? name.slice('histogram.'.length) : undefined;
    const known = featureNames.find((one) => one === feature);
    if (known !== undefined) return `histogram.${known}` as const;
    const part = plainParts.find((one) => one === name);
    if (part !== undefined) return part;
    const all = [...plainParts, 'histogram.{feature}'].join(', ');
    throw new ServiceError('INVALID_PARAMETER', `\`parts\` must be a comma-separated list of ${all}; got "${name}".`);
  });
}

function questionsOf(view: ExploreView, parts: readonly Part[]): MemberQuestion[] {
  return [...new Set(parts)].flatMap((part) => {
    const feature = featureNames.find((one) => part === `histogram.${one}`);
    if (feature !== undefined) return [histogram(feature)];
    const plain = plainParts.find((one) => one === part);
    return plain === undefined ? [] : QUESTIONS[plain](view);
  });
}

const QUESTIONS: Readonly<Record<PlainPart, (view: ExploreView) => MemberQuestion[]>> = {
  summary: () => [{ member: 'summary', question: { $case: 'summary', value: {} } }],
  facets: () => [
    {
      member: 'facets',
      question: { $case: 'facets', value: { keys: [...FACET_KEYS], limit: FACET_VALUES } },
    },
  ],
  statistics: () => [
    {
      member: 'statistics',
      question: { $case: 'statistics', value: { features: [...featureNames] } },
    },
  ],
  grid: (view) => [window(view, WINDOW)],
  narrowGrid: (view) => [window(view, NARROW_WINDOW)],
  points: (view) => {
    const { x, y, color, panels } = view.scatter;
    const panel = panels === 'solvent' ? 'solventSystem' : panels === 'polymer' ? panels : undefined;
    const columns = { x, y, color, panel };
    return [
      {
        member: 'points',
        question: { $case: 'points', value: { ...columns, limit: MAX_POINTS, nulls: true, explain: false } },
      },
    ];
  },
  coverage: ({ coverage }) => [
    { member: 'coverage', question: { $case: 'coverage', value: { by: coverage, limit: MAX_COVERED } } },
  ],
  papers: () => [papers(MAX_PAPERS)],
  allPapers: () => [papers(MAX_LISTED_PAPERS)],
  nearest: (view) => nearest(view),
  records: () => [],
  compared: () => [],
};

function papers(limit: number): MemberQuestion {
  return { member: 'papers', question: papersQuestion({ limit }) };
}

function histogram(feature: Feature): MemberQuestion {
  const isLog = defaultScale(feature) === 'log';
  return {
    member: ['histograms', feature],
    question: { $case: 'histogram', value: { feature, bins: HISTOGRAM_BINS, isLog } },
  };
}

function window(view: ExploreView, bins: { x: number; y: number }): MemberQuestion {
  const { x, y } = view.map;
  const axis = (feature: Feature, bins: number) => ({
    feature,
    bins,
    isLog: defaultScale(feature) === 'log',
    readable: true,
  });
  // Without a result in the filter, the tried records are the matching ones.
  const tried = triedFilter(view.conditions).length < view.conditions.length;
  const value = { x: axis(x, bins.x), y: axis(y, bins.y), explain: true, tried };
  return {
    member: 'grid',
    question: { $case: 'grid', value },
  };
}

/** Returns the question about similar experiments; none for an empty recipe. */
function nearest(view: ExploreView): MemberQuestion[] {
  if (view.recipe.length === 0) return [];
  const recipe = recipeOf(view);
  const textOf = (key: string): string[] => recipe.find(([one]) => one === key)?.[1].split('|') ?? [];
  const values = recipe.flatMap(([key, text]) => {
    const feature = featureNames.find((one) => one === key);
    return feature === undefined ? [] : [{ feature, value: Number(text) }];
  });
  return [
    {
      member: 'nearest',
      question: {
        $case: 'nearest',
        value: { values, polymers: textOf('polymer'), solvents: textOf('solvent'), k: NEIGHBORS, explain: false },
      },
    },
  ];
}

function sortOf({ sort }: ExploreView) {
  const parsed = sort === '' ? undefined : parseSort(sort);
  return parsed && 'sort' in parsed ? [...parsed.sort] : [];
}
