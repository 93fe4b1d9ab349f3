import type { ExperimentData } from '@esd/record/catalog/catalog';
import { categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import type { DatasetDescription } from '@esd/record/metadata/description';
import * as z from 'zod/mini';
import { namedSubstancesSchema, paperSummariesSchema } from './known.ts';
import { papersSchema } from './papers.ts';

/**
 * The data of `/explore`. Each part is an API response, which the gateway passes through unchanged; `points` has additional columns. The
 * schemas contain the members that the page uses. Numbers are in the units of the filters; counts are of records.
 */

const counted = z.number();
const figure = z.nullable(z.number());
const numbers = z.array(z.number());
const feature = z.enum(features.map((keys) => keys.feature));
const category = z.enum(categoryKeys);
const scale = z.enum(['linear', 'log']);

/** The values of a category, in descending order of count. */
const facet = z.object({
  values: z.array(
    z.object({
      value: z.string(),
      count: counted,
      /** The names that are `sameAs` the value; they count with it. */
      others: z.optional(z.array(z.string())),
    }),
  ),
  distinct: counted,
  missing: counted,
});
export type Facet = z.infer<typeof facet>;

/** The distribution of a feature. Its figures are null if there are no values. */
const figures = z.object({
  unit: z.string(),
  count: counted,
  missing: counted,
  notConvertible: counted,
  min: figure,
  q05: figure,
  q25: figure,
  median: figure,
  q75: figure,
  q95: figure,
  max: figure,
});

/** The bins of a feature. There is one more edge than counts; both are empty if there are no values. */
const histogram = z.object({
  feature,
  unit: z.string(),
  scale,
  total: counted,
  edges: numbers,
  counts: z.array(counted),
  missing: counted,
  notConvertible: counted,
  nonPositive: counted,
});
export type Histogram = z.infer<typeof histogram>;

const quartiles = z.object({ count: counted, q25: figure, median: figure, q75: figure });

/** With `eachValue`, each bin has a single value, its lower edge. */
const axis = z.object({ feature, unit: z.string(), scale, edges: numbers, eachValue: z.optional(z.boolean()) });

const cellCounts = { count: counted, papers: counted, stable: counted, unstable: counted };
const cell = z.object({
  i: counted,
  j: counted,
  ...cellCounts,
  fiberDiameter: quartiles,
  /** Set if the filter has a result; otherwise, the tried records are the matching ones. */
  tried: z.optional(z.object(cellCounts)),
});
export type WindowCell = z.infer<typeof cell>;

/** The number of records that a plot omits for one reason. */
const excluded = z.object({ reason: z.string(), feature: z.optional(feature), count: counted });
export type Excluded = z.infer<typeof excluded>;

const grid = z.object({
  x: axis,
  y: axis,
  total: counted,
  placed: counted,
  tried: z.optional(z.object({ total: counted, placed: counted })),
  cells: z.array(cell),
  excluded: z.array(excluded),
});
export type Window = z.infer<typeof grid>;

/** The columns of a scatter plot. A missing value is null. */
export const pointsSchema = z.object({
  total: counted,
  placed: counted,
  sampled: z.boolean(),
  recordId: numbers,
  x: z.array(figure),
  y: z.array(figure),
  color: z.array(z.nullable(z.string())),
  /** The value that selects the panel of a record; absent without panels. */
  panel: z.optional(z.array(z.nullable(z.string()))),
  /** Whether a record repeats one with a lower id; medians leave such records out. */
  repeated: z.optional(z.array(z.boolean())),
});
export type Points = z.infer<typeof pointsSchema>;

/** The completeness of the records by the values of a category. The row `null` counts the records without a value. */
const coverage = z.object({
  total: counted,
  by: category,
  distinct: counted,
  rows: z.array(
    z.object({
      value: z.nullable(z.string()),
      count: counted,
      filled: z.partialRecord(z.union([feature, category]), counted),
    }),
  ),
});
export type Coverage = z.infer<typeof coverage>;

const range = z.object({ low: z.number(), high: z.number() });

/** The experiments most similar to a recipe, by paper, and the typical error of their median. */
export const nearestSchema = z.object({
  total: counted,
  neighbors: z.array(
    z.object({
      recordId: counted,
      distance: z.number(),
      parts: z.partialRecord(
        z.union([feature, z.enum(['polymer', 'solvent'])]),
        z.object({
          value: z.nullable(z.union([z.number(), z.array(z.string())])),
          distance: z.number(),
          missing: z.boolean(),
        }),
      ),
      fiberDiameter: figure,
      isFormationStable: z.nullable(z.boolean()),
      doi: z.nullable(z.string()),
      /** The other records of its group, if each group counts once. */
      repeats: z.optional(numbers),
    }),
  ),
  fiberDiameter: quartiles,
  stable: z.object({ yes: counted, no: counted, unknown: counted }),
  byPaper: z.array(
    z.object({ doi: z.nullable(z.string()), count: counted, median: figure, stable: counted, unstable: counted }),
  ),
  paperMedian: z.object({ papers: counted, q25: figure, median: figure, q75: figure }),
  interval80: z.nullable(range),
  reliability: z.nullable(
    z.object({
      polymer: z.string(),
      papers: counted,
      records: counted,
      medianAbsoluteLogError: figure,
      factor80: figure,
    }),
  ),
});
export type Nearest = z.infer<typeof nearestSchema>;

const recordNumbers = z.object({ recordId: counted, normalized: z.partialRecord(feature, z.number()) });
// The service validates the other members of a record before it publishes them.
export const shownRecordSchema = z.custom<
  ExperimentData & { recordId: number; normalized: Partial<Record<Feature, number>> }
>((value) => recordNumbers.safeParse(value).success);
/** A record with its normalized numbers. A table receives only the members that it shows. */
export type ShownRecord = z.infer<typeof shownRecordSchema>;

const stability = z.object({ yes: counted, no: counted, unknown: counted });

/**
 * Counts of the matching and the tried records. `cannotMatch` counts the tried records without a value for a result of the filter.
 * `repeats.records` repeat a record with a lower id.
 */
export const summarySchema = z.object({
  papers: counted,
  stable: stability,
  tried: z.object({ total: counted, papers: counted, papersReportingFailures: counted, stable: stability }),
  cannotMatch: z.array(z.object({ key: z.union([feature, category]), count: counted, notStable: counted })),
  repeats: z.object({ records: counted, groups: counted }),
});
export type Summary = z.infer<typeof summarySchema>;

/** The description of the dataset or release of a view, for its citation and files. `issued` is in ISO 8601. */
export interface CitedDataset extends Omit<DatasetDescription, 'issued' | 'papers' | 'variables'> {
  readonly issued: string;
  /** The citation as text. */
  readonly citation: string;
}

const citedMembers = z.object({ issued: z.string(), citation: z.string(), files: z.array(z.unknown()) });
// The gateway writes the whole description.
const citedSchema = z.custom<CitedDataset>((value) => citedMembers.safeParse(value).success);

/** The data of the page. Parts that were not requested are undefined. */
export const exploreDataSchema = z.object({
  revision: z.number(),
  size: counted,
  total: counted,
  /** Undefined for an empty dataset. */
  cited: z.optional(citedSchema),
  summary: z.optional(summarySchema),
  facets: z.optional(z.object({ facets: z.partialRecord(category, facet) })),
  histograms: z.optional(z.partialRecord(feature, histogram)),
  statistics: z.optional(z.object({ statistics: z.partialRecord(feature, figures) })),
  grid: z.optional(grid),
  /** The grid with fewer cells, for narrow windows. */
  narrowGrid: z.optional(grid),
  points: z.optional(pointsSchema),
  coverage: z.optional(coverage),
  papers: z.optional(papersSchema),
  /** The facts of the papers that the other parts name. */
  knownPapers: z.optional(paperSummariesSchema),
  knownSubstances: z.optional(namedSubstancesSchema),
  /** A string is the error message of an invalid recipe. */
  nearest: z.optional(z.union([z.string(), nearestSchema])),
  records: z.optional(z.array(shownRecordSchema)),
  /** The records selected for comparison that are public. */
  compared: z.optional(z.array(shownRecordSchema)),
  /** The number of matches without each filter key. Set only if no record matches. */
  without: z.optional(z.record(z.string(), counted)),
});
export type ExploreData = z.infer<typeof exploreDataSchema>;

/** The data, and the URL parameters that were ignored. */
export const exploreAnswerSchema = z.extend(exploreDataSchema, { ignored: z.array(z.string()) });
