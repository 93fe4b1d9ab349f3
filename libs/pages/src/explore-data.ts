import type { ResponseAt } from '@esd/api/operations';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { CategoryKey, Feature } from '@esd/record/filter/filter-keys';
import type { DatasetDescription } from '@esd/record/metadata/description';
import type { PaperSummary } from '@esd/record/papers/paper';
import type { NamedSubstance } from '@esd/record/reference/substance-names';

/**
 * The data of `/explore`. Each part is the response of an operation, which the gateway passes through unchanged. The page requests
 * additional members, which these types add. Numbers are in the units of the filters; counts are of records.
 */

/** The values of a category, in descending order of count. */
export type Facet = NonNullable<ResponseAt<'get', '/public/dataset/facets'>['facets'][CategoryKey]>;

export type Histogram = ResponseAt<'get', '/public/dataset/histogram'>;

type Grid = ResponseAt<'get', '/public/dataset/grid'>;
export type WindowCell = Grid['cells'][number];
/** The number of records that a plot omits for one reason. */
export type Excluded = NonNullable<Grid['excluded']>[number];
/** With `eachValue`, each bin has a single value, its lower edge. */
type WindowAxis = Grid['x'] & { eachValue?: boolean | undefined };
export interface Window extends Omit<Grid, 'x' | 'y' | 'excluded'> {
  x: WindowAxis;
  y: WindowAxis;
  excluded: Excluded[];
}

type PointsOfApi = ResponseAt<'get', '/public/dataset/points'>;
/** The columns of a scatter plot, colored by a category. A missing value is null. */
export interface Points extends Omit<PointsOfApi, 'color' | 'excluded'> {
  color: (string | null)[];
  /** The value that selects the panel of a record; absent without panels. */
  panel?: (string | null)[] | undefined;
}

export type Nearest = ResponseAt<'get', '/public/dataset/nearest'>;
export type Summary = ResponseAt<'get', '/public/dataset/summary'>;
export type Papers = ResponseAt<'get', '/public/dataset/papers'>;
export type PaperEntry = Papers['data'][number];

/** A record with its normalized numbers. A table receives only the members that it shows. */
export type ShownRecord = ExperimentData & { recordId: number; normalized: Partial<Record<Feature, number>> };

/** The description of the dataset or release of a view, for its citation and files. `issued` is in ISO 8601. */
export interface CitedDataset extends Omit<DatasetDescription, 'issued' | 'papers' | 'variables'> {
  readonly issued: string;
  /** The citation as text. */
  readonly citation: string;
}

/** The data of the page. Parts that were not requested are undefined. */
export interface ExploreData {
  revision: number;
  /** The number of records of the dataset or release. */
  size: number;
  /** The number of matching records; `summary` has the number of distinct ones. */
  total: number;
  /** Undefined for an empty dataset. */
  cited?: CitedDataset | undefined;
  /** Counts of the matching and the tried records. `repeats.records` repeat a record with a lower id. */
  summary?: Summary | undefined;
  facets?: { facets: Partial<Record<CategoryKey, Facet>> } | undefined;
  histograms?: Partial<Record<Feature, Histogram>> | undefined;
  statistics?: ResponseAt<'get', '/public/dataset/statistics'> | undefined;
  grid?: Window | undefined;
  points?: Points | undefined;
  coverage?: ResponseAt<'get', '/public/dataset/coverage'> | undefined;
  papers?: Papers | undefined;
  /** The facts of the papers that the other parts name. */
  knownPapers?: readonly PaperSummary[] | undefined;
  knownSubstances?: readonly NamedSubstance[] | undefined;
  /** The experiments most similar to a recipe. A string is the error message of an invalid recipe. */
  nearest?: string | Nearest | undefined;
  records?: ShownRecord[] | undefined;
  /** The records selected for comparison that are public. */
  compared?: ShownRecord[] | undefined;
  /** The number of matches without each filter key. Set only if no record matches. */
  without?: Record<string, number> | undefined;
}

/** The data, and the URL parameters that were ignored. */
export type ExploreResponse = ExploreData & { ignored: string[] };
