import type { ExploreData, Part, PlainPart } from '@esd/pages/explore-page';
import { pageSize, plainParts } from '@esd/pages/explore-page';
import { type ExploreView, filterOf, usualScale, withFilter } from '@esd/pages/explore-view';
import type { ExplorePageRequest, ExploreQuestion } from '@esd/proto/esd/dataset/v1/dataset';
import { type CategoryKey, categoryKeys, type Feature, recordFeatures } from '@esd/record/filter/filter-keys';
import { parseSort } from '@esd/record/filter/sort-keys';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Release } from '../dataset/releases.ts';
import type { Call } from '../http/call.ts';
import { featureNames } from '../schemas/names-text.ts';
import type { Upstream } from '../upstream/upstream.ts';
import * as answers from './explore-answers.ts';

type Question = NonNullable<ExploreQuestion['question']>;
type Answered = Partial<{ -readonly [Key in keyof ExploreData]: ExploreData[Key] }>;

/** A question with what its answer is put into. */
interface Asked {
  question: Question;
  put: (answer: unknown, data: Answered) => void;
}

/** Of which state, and what of a view. */
export interface ExploreQuestions {
  view: ExploreView;
  parts: readonly Part[];
  /** Undefined: the newest state. */
  release: Release | undefined;
}

const FACET_KEYS: readonly CategoryKey[] = categoryKeys;
const FACET_VALUES = 100;
const HISTOGRAM_BINS = 24;
const WINDOW = { x: 10, y: 7 };
const NARROW_WINDOW = { x: 5, y: 4 };
const MAX_POINTS = 5_000;
const MAX_COVERED = 40;
const MAX_PAPERS = 100;
const MAX_LISTED_PAPERS = 10_000;
const NEIGHBORS = 20;
const MAX_REPEATS = 20_000;

// What a row of the table shows beside the numbers: names, and the units as they were published.
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

/** Makes what `/explore` shows, at one state and from one call. */
export function exploreData(
  dataset: Pick<Upstream['dataset'], 'explorePage'>,
  states: DatasetStates,
): (questions: ExploreQuestions, call: Call) => Promise<ExploreData> {
  const ask = async (
    request: Omit<ExplorePageRequest, 'revision' | 'atLeast' | 'version'>,
    release: Release | undefined,
    call: Call,
  ) => {
    const askedAt = performance.now();
    const { state, ...answer } = await dataset.explorePage(
      {
        ...request,
        revision: release?.state.revision,
        atLeast: release ? undefined : states.seen(),
        version: release?.identifier ?? 'latest',
      },
      call,
    );
    if (!state) throw new ServiceError('UNAVAILABLE', 'The dataset did not say which state it is in; try again.');
    if (!release) states.saw(state, askedAt);
    return { state, ...answer };
  };
  const totalOf = async (view: ExploreView, release: Release | undefined, call: Call): Promise<number> => {
    const question = { filterJson: filterText(view), questions: [], records: undefined, recordIds: [] };
    return (await ask(question, release, call)).total;
  };
  const read = async ({ view, parts, release }: ExploreQuestions, call: Call): Promise<ExploreData> => {
    const asked = questionsOf(view, parts);
    const limit = parts.includes('records') ? pageSize(view) : 0;
    const { state, total, answersJson, recordsJson, chosenJson } = await ask(
      {
        filterJson: filterText(view),
        questions: asked.map(({ question }) => ({ question })),
        records: { skip: (view.page - 1) * limit, limit, sort: sortOf(view), fields: ROW_FIELDS },
        recordIds: parts.includes('compared') ? [...view.compare] : [],
      },
      release,
      call,
    );
    const data: Answered = {};
    for (const [at, { put }] of asked.entries()) put(parsed(answersJson[at]), data);
    if (limit > 0) data.records = answers.recordsAnswer.parse(parsed(recordsJson));
    if (parts.includes('compared')) data.compared = answers.recordsAnswer.parse(parsed(chosenJson));
    return { ...data, revision: state.revision, size: state.recordCount, total };
  };
  return async (questions, call) => {
    const { view, release, parts } = questions;
    const found = await read(questions, call).catch(async (error: unknown): Promise<ExploreData> => {
      // A name that is in no list is told where the recipe is.
      if (!isAboutRecipe(error, questions)) throw error;
      const others = await read({ ...questions, parts: parts.filter((part) => part !== 'nearest') }, call);
      return { ...others, nearest: error.message };
    });
    if (found.total > 0 || view.filter.length === 0) return found;
    const keys = [...new Set(view.filter.map(([key]) => key.replace(/(?:Min|Max)$/, '')))];
    const without = await Promise.all(
      keys.map(async (key) => {
        const fewer = withFilter(view, { [key]: undefined, [`${key}Min`]: undefined, [`${key}Max`]: undefined });
        return [key, await totalOf(fewer, release, call)] as const;
      }),
    );
    return { ...found, without: Object.fromEntries(without) };
  };
}

function isAboutRecipe(error: unknown, { parts }: ExploreQuestions): error is ServiceError {
  return error instanceof ServiceError && error.code === 'INVALID_PARAMETER' && parts.includes('nearest');
}

/** The parts that a request names, in its parameter `parts`; undefined where it names none. Throws INVALID_PARAMETER. */
export function readParts(text: string | null): readonly Part[] | undefined {
  if (text === null) return undefined;
  return text.split(',').map((name) => {
    const feature = name.startsWith('histogram.') ? name.slice('histogram.'.length) : undefined;
    const known = featureNames.find((one) => one === feature);
    if (known !== undefined) return `histogram.${known}` as const;
    const part = plainParts.find((one) => one === name);
    if (part !== undefined) return part;
    const all = [...plainParts, 'histogram.{feature}'].join(', ');
    throw new ServiceError(
      'INVALID_PARAMETER',
      `\`parts\` must be some of ${all} with commas between them, got "${name}".`,
    );
  });
}

function questionsOf(view: ExploreView, parts: readonly Part[]): Asked[] {
  return [...new Set(parts)].flatMap((part) => {
    const feature = featureNames.find((one) => part === `histogram.${one}`);
    if (feature !== undefined) return [histogram(feature)];
    const plain = plainParts.find((one) => one === part);
    return plain === undefined ? [] : QUESTIONS[plain](view);
  });
}

const QUESTIONS: Readonly<Record<PlainPart, (view: ExploreView) => Asked[]>> = {
  summary: () => [
    {
      question: { $case: 'summary', value: { maxCompared: MAX_REPEATS } },
      put: (answer, data) => {
        const { papers, stable, repeats } = answers.summaryAnswer.parse(answer);
        data.summary = { papers, stable: stable.yes, unstable: stable.no, repeats };
      },
    },
  ],
  facets: () => [
    {
      question: { $case: 'facets', value: { keys: [...FACET_KEYS], limit: FACET_VALUES } },
      put: (answer, data) => {
        data.facets = answers.facetsAnswer.parse(answer).facets;
      },
    },
  ],
  statistics: () => [
    {
      question: { $case: 'statistics', value: { features: [...featureNames] } },
      put: (answer, data) => {
        data.statistics = answers.statisticsAnswer.parse(answer).statistics;
      },
    },
  ],
  grid: ({ map }) => [
    window(map, WINDOW, (grid, data) => {
      data.grid = answers.gridAnswer.parse(grid);
    }),
    window(map, NARROW_WINDOW, (grid, data) => {
      data.narrowGrid = answers.gridAnswer.parse(grid);
    }),
  ],
  points: ({ scatter: { x, y, color } }) => [
    {
      question: { $case: 'points', value: { x, y, color, limit: MAX_POINTS, nulls: true, explain: false } },
      put: (answer, data) => {
        data.points = answers.pointsAnswer.parse(answer);
      },
    },
  ],
  coverage: ({ coverage }) => [
    {
      question: { $case: 'coverage', value: { by: coverage, limit: MAX_COVERED } },
      put: (answer, data) => {
        data.coverage = answers.coverageAnswer.parse(answer);
      },
    },
  ],
  papers: () => papers(MAX_PAPERS),
  allPapers: () => papers(MAX_LISTED_PAPERS),
  nearest: (view) => nearest(view),
  records: () => [],
  compared: () => [],
};

function papers(limit: number): Asked[] {
  return [
    {
      question: { $case: 'papers', value: { limit } },
      put: (answer, data) => {
        data.papers = answers.papersAnswer.parse(answer);
      },
    },
  ];
}

function histogram(feature: Feature): Asked {
  const isLog = usualScale(feature) === 'log';
  return {
    question: { $case: 'histogram', value: { feature, bins: HISTOGRAM_BINS, isLog } },
    put: (answer, data) => {
      data.histograms = { ...data.histograms, [feature]: answers.histogramAnswer.parse(answer) };
    },
  };
}

function window(
  { x, y }: ExploreView['map'],
  bins: { x: number; y: number },
  put: (answer: unknown, data: Answered) => void,
): Asked {
  const axis = (feature: Feature, bins: number) => ({ feature, bins, isLog: usualScale(feature) === 'log' });
  return { question: { $case: 'grid', value: { x: axis(x, bins.x), y: axis(y, bins.y), explain: true } }, put };
}

/** Nothing is asked before there is something to compare with. */
function nearest({ recipe }: ExploreView): Asked[] {
  if (recipe.length === 0) return [];
  const textOf = (key: string): string[] => recipe.find(([one]) => one === key)?.[1].split('|') ?? [];
  const values = recipe.flatMap(([key, text]) => {
    const feature = featureNames.find((one) => one === key);
    return feature === undefined ? [] : [{ feature, value: Number(text) }];
  });
  return [
    {
      question: {
        $case: 'nearest',
        value: { values, polymers: textOf('polymer'), solvents: textOf('solvent'), k: NEIGHBORS, explain: false },
      },
      put: (answer, data) => {
        data.nearest = answers.nearestAnswer.parse(answer);
      },
    },
  ];
}

function filterText(view: ExploreView): string | undefined {
  return view.filter.length === 0 ? undefined : JSON.stringify(filterOf(view));
}

function sortOf({ sort }: ExploreView) {
  const parsed = sort === '' ? undefined : parseSort(sort);
  return parsed && 'sort' in parsed ? [...parsed.sort] : [];
}

function parsed(json: Uint8Array | undefined): unknown {
  return JSON.parse(Buffer.from(json ?? []).toString());
}
