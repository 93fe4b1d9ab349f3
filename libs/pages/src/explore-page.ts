import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import type { CategoryKey, Feature } from '@esd/record/filter/filter-keys';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import type { ExploreView, Tab } from './explore-view.ts';
import type { Papers } from './papers.ts';

/** What `/explore` shows. The answers are those of the API, in the units of the filters; counts are of records. */

export interface Facet {
  /** By count descending. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly distinct: number;
  readonly missing: number;
}

export interface Histogram {
  readonly feature: Feature;
  readonly unit: string;
  readonly scale: 'linear' | 'log';
  readonly total: number;
  /** One more than there are counts; none without values. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly missing: number;
  readonly notConvertible: number;
  readonly nonPositive: number;
}

/** Figures are null without values. */
export interface Figures {
  readonly unit: string;
  readonly count: number;
  readonly missing: number;
  readonly notConvertible: number;
  readonly min: number | null;
  readonly q05: number | null;
  readonly q25: number | null;
  readonly median: number | null;
  readonly q75: number | null;
  readonly q95: number | null;
  readonly max: number | null;
}

export interface Quartiles {
  readonly count: number;
  readonly q25: number | null;
  readonly median: number | null;
  readonly q75: number | null;
}

export interface WindowAxis {
  readonly feature: Feature;
  readonly unit: string;
  readonly scale: 'linear' | 'log';
  readonly edges: readonly number[];
}

export interface WindowCell {
  readonly i: number;
  readonly j: number;
  readonly count: number;
  readonly papers: number;
  readonly stable: number;
  readonly unstable: number;
  readonly fiberDiameter: Quartiles;
}

/** The processing window. */
export interface Window {
  readonly x: WindowAxis;
  readonly y: WindowAxis;
  readonly total: number;
  readonly placed: number;
  readonly cells: readonly WindowCell[];
  readonly excluded: readonly Excluded[];
}

/** Why records are not placed. */
export interface Excluded {
  readonly reason: string;
  readonly feature?: Feature | undefined;
  readonly count: number;
}

/** Columns of a scatter plot; null where a record lacks a value. */
export interface Points {
  readonly total: number;
  readonly placed: number;
  readonly sampled: boolean;
  readonly recordId: readonly number[];
  readonly x: readonly (number | null)[];
  readonly y: readonly (number | null)[];
  readonly color: readonly (string | null)[];
}

export interface Coverage {
  readonly total: number;
  readonly by: CategoryKey;
  readonly distinct: number;
  readonly rows: readonly {
    /** Null: the records without one. */
    readonly value: string | null;
    readonly count: number;
    readonly filled: Readonly<Partial<Record<Feature | CategoryKey, number>>>;
  }[];
}

export interface Nearest {
  readonly total: number;
  readonly neighbors: readonly {
    readonly recordId: number;
    readonly distance: number;
    readonly parts: Readonly<
      Partial<
        Record<
          Feature | 'polymer' | 'solvent',
          {
            readonly value: number | readonly string[] | null;
            readonly distance: number;
            readonly missing: boolean;
          }
        >
      >
    >;
    readonly fiberDiameter: number | null;
    readonly isFormationStable: boolean | null;
    readonly doi: string | null;
  }[];
  readonly fiberDiameter: Quartiles;
  readonly stable: { readonly yes: number; readonly no: number; readonly unknown: number };
  readonly reliability: {
    readonly polymer: string;
    readonly papers: number;
    readonly records: number;
    readonly medianAbsoluteLogError: number | null;
  } | null;
}

/** A record as a row of a table, or whole. */
export interface ShownRecord {
  readonly recordId: number;
  readonly data: ExperimentData;
  readonly normalized: Readonly<Partial<Record<Feature, number>>>;
}

/** Of the records that match. */
export interface Summary {
  readonly papers: number;
  readonly stable: number;
  readonly unstable: number;
  /** Records that are like another one in every value that can be filtered; null where they are too many to compare. */
  readonly repeats: { readonly records: number; readonly groups: number } | null;
}

/** What was asked for; a part that was not is undefined. */
export interface ExploreData {
  readonly revision: number;
  /** Records of the dataset. */
  readonly size: number;
  /** Records that match. */
  readonly total: number;
  readonly summary?: Summary | undefined;
  readonly facets?: Readonly<Partial<Record<CategoryKey, Facet>>> | undefined;
  readonly histograms?: Readonly<Partial<Record<Feature, Histogram>>> | undefined;
  readonly statistics?: Readonly<Partial<Record<Feature, Figures>>> | undefined;
  readonly grid?: Window | undefined;
  /** The same in fewer cells. */
  readonly narrowGrid?: Window | undefined;
  readonly points?: Points | undefined;
  readonly coverage?: Coverage | undefined;
  readonly papers?: Papers | undefined;
  /** A text says what is wrong with the recipe. */
  readonly nearest?: Nearest | string | undefined;
  readonly records?: readonly ShownRecord[] | undefined;
  /** Those of the chosen records that are public. */
  readonly compared?: readonly ShownRecord[] | undefined;
  /** By filter: how many match without it. Where nothing matches. */
  readonly without?: Readonly<Record<string, number>> | undefined;
}

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
