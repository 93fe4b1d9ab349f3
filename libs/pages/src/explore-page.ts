import type { Feature } from '@esd/record/filter/filter-keys';
import type { ExploreData } from './explore-data.ts';
import type { ExploreView, Tab } from './explore-view.ts';

export interface ExplorePage {
  readonly kind: 'explore';
  readonly build: string;
  readonly view: ExploreView;
  /** URL parameters that were ignored, as `name=value`. */
  readonly ignored: readonly string[];
  /** Identifiers of the releases, newest first. */
  readonly releases: readonly string[];
  /** The base URL of the API; absolute if the public URL is known. */
  readonly api: string;
  readonly data: ExploreData;
  /** The JSON of `data` as dataset-svc wrote it; in the browser absent. */
  readonly dataJson?: string;
}

/** The parts of the page that a client can request. A histogram is requested as `histogram.` and its feature. */
export const plainParts = [
  'summary',
  'facets',
  'statistics',
  'grid',
  // The same as `grid`, with the cells of a narrow window.
  'narrowGrid',
  'points',
  'coverage',
  'papers',
  // The same as `papers`, with the maximum list length.
  'allPapers',
  'nearest',
  'records',
  'compared',
] as const;
export type PlainPart = (typeof plainParts)[number];
export type Part = PlainPart | `histogram.${Feature}`;

/** Quantities whose histograms are initially open. */
export const initiallyOpen: readonly Feature[] = [
  'voltage',
  'tipDist',
  'flowRate',
  'concentration',
  'fieldStrength',
  'fiberDiameter',
];

const OF_TAB: Readonly<Record<Tab, readonly PlainPart[]>> = {
  overview: ['grid', 'points', 'records'],
  table: ['records'],
  map: ['grid'],
  scatter: ['points'],
  coverage: ['coverage'],
  papers: ['papers'],
  nearest: ['nearest'],
  compare: ['compared'],
};

/** The members of the view that a part depends on, besides filter, version, and repeats. */
export const DEPENDENCIES: Readonly<Record<PlainPart, (view: ExploreView) => unknown>> = {
  summary: () => undefined,
  facets: () => undefined,
  statistics: () => undefined,
  grid: ({ map: { x, y } }) => [x, y],
  narrowGrid: ({ map: { x, y } }) => [x, y],
  points: ({ scatter: { x, y, color, panels } }) => [x, y, color, panels],
  coverage: ({ coverage }) => coverage,
  papers: () => undefined,
  allPapers: () => undefined,
  nearest: ({ recipe }) => recipe,
  records: ({ sort, page, tab }) => [sort, page, tab],
  compared: ({ compare }) => compare,
};

/** The part with the processing window for the width of the browser window. Its member of the data is `grid`. */
export function mapPart(isNarrow: boolean): 'grid' | 'narrowGrid' {
  return isNarrow ? 'narrowGrid' : 'grid';
}

/** Returns the parts of a view. The server renders the page for a wide window. */
export function partsOf(
  { tab }: Pick<ExploreView, 'tab'>,
  { opened = initiallyOpen, isNarrow = false }: { opened?: readonly Feature[]; isNarrow?: boolean } = {},
): readonly Part[] {
  const histograms = opened.map((feature): Part => `histogram.${feature}`);
  const ofTab = OF_TAB[tab].map((part) => (part === 'grid' ? mapPart(isNarrow) : part));
  return ['summary', 'facets', 'statistics', ...histograms, ...ofTab];
}

export function pageSize({ tab }: Pick<ExploreView, 'tab'>): number {
  return tab === 'table' ? 100 : 15;
}
