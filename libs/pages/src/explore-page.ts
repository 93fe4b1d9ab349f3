import type { Feature } from '@esd/record/filter/filter-keys';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { ExploreData } from './explore-data.ts';
import type { ExploreView, Tab } from './explore-view.ts';

export interface ExplorePage {
  readonly kind: 'explore';
  readonly view: ExploreView;
  /** Parts of the address that were not understood. */
  readonly leftOut: readonly string[];
  /** Identifiers of the releases, newest first. */
  readonly releases: readonly string[];
  /** Where the API is, absolute where the public URL is known. */
  readonly api: string;
  /** What is said of the dataset when it is cited. */
  readonly facts: DatasetFacts;
  readonly data: ExploreData;
}

/** Parts that are asked for by name; a histogram is `histogram.` and its feature. */
export const plainParts = [
  'summary',
  'facets',
  'statistics',
  'grid',
  'points',
  'coverage',
  'papers',
  // The same, as long as a list of them can be.
  'allPapers',
  'nearest',
  'records',
  'compared',
] as const;
export type PlainPart = (typeof plainParts)[number];
export type Part = PlainPart | `histogram.${Feature}`;

/** Quantities whose histograms are open at first. */
export const openAtFirst: readonly Feature[] = [
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

/** The parts that a view shows. */
export function partsOf({ tab }: Pick<ExploreView, 'tab'>, open: readonly Feature[] = openAtFirst): readonly Part[] {
  const histograms = open.map((feature): Part => `histogram.${feature}`);
  return ['summary', 'facets', 'statistics', ...histograms, ...OF_TAB[tab]];
}

/** Records on a page of the table. */
export function pageSize({ tab }: Pick<ExploreView, 'tab'>): number {
  return tab === 'table' ? 100 : 15;
}
