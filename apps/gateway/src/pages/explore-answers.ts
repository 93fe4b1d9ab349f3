import { z } from 'zod';
import type {
  Coverage,
  Facet,
  Figures,
  Histogram,
  Nearest,
  Points,
  ShownRecord,
  Window,
} from '@esd/pages/explore-page';
import type { Papers } from '@esd/pages/papers';
import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { isObject } from '@esd/record/validate/read-value';
import { featureNames } from '../schemas/names-text.ts';

/** The answers of dataset-svc as `/explore` shows them. */

const counted = z.int().min(0);
const figure = z.number().nullable();
const feature = z.enum(featureNames);
const category = z.enum(categoryKeys);
const scale = z.enum(['linear', 'log']);
const numbers = z.array(z.number());
const quartiles = z.object({ count: counted, q25: figure, median: figure, q75: figure });

const facet: z.ZodType<Facet> = z.object({
  values: z.array(z.object({ value: z.string(), count: counted })),
  distinct: counted,
  missing: counted,
});
export const facetsAnswer = z.object({ facets: z.partialRecord(category, facet) });

const figures: z.ZodType<Figures> = z.object({
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
export const statisticsAnswer = z.object({ statistics: z.partialRecord(feature, figures) });

export const histogramAnswer: z.ZodType<Histogram> = z.object({
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

const axis = z.object({ feature, unit: z.string(), scale, edges: numbers });
export const gridAnswer: z.ZodType<Window> = z.object({
  x: axis,
  y: axis,
  total: counted,
  placed: counted,
  cells: z.array(
    z.object({
      i: counted,
      j: counted,
      count: counted,
      papers: counted,
      stable: counted,
      unstable: counted,
      fiberDiameter: quartiles,
    }),
  ),
  excluded: z.array(z.object({ reason: z.string(), feature: feature.optional(), count: counted })),
});

export const pointsAnswer: z.ZodType<Points> = z.object({
  total: counted,
  placed: counted,
  sampled: z.boolean(),
  recordId: numbers,
  x: z.array(figure),
  y: z.array(figure),
  color: z.array(z.string().nullable()),
});

export const coverageAnswer: z.ZodType<Coverage> = z.object({
  total: counted,
  by: category,
  distinct: counted,
  rows: z.array(
    z.object({
      value: z.string().nullable(),
      count: counted,
      filled: z.partialRecord(z.enum([...featureNames, ...categoryKeys]), counted),
    }),
  ),
});

const part = z.object({
  value: z.union([z.number(), z.array(z.string())]).nullable(),
  distance: z.number(),
  missing: z.boolean(),
});
export const nearestAnswer: z.ZodType<Nearest> = z.object({
  total: counted,
  neighbors: z.array(
    z.object({
      recordId: counted,
      distance: z.number(),
      parts: z.partialRecord(z.enum([...featureNames, 'polymer', 'solvent']), part),
      fiberDiameter: figure,
      isFormationStable: z.boolean().nullable(),
      doi: z.string().nullable(),
    }),
  ),
  fiberDiameter: quartiles,
  stable: z.object({ yes: counted, no: counted, unknown: counted }),
  reliability: z
    .object({ polymer: z.string(), papers: counted, records: counted, medianAbsoluteLogError: figure })
    .nullable(),
});

export const papersAnswer: z.ZodType<Papers> = z.object({
  withoutPaper: counted,
  distinct: counted,
  papers: z.array(
    z.object({
      doi: z.string(),
      records: counted,
      polymers: z.array(z.string()),
      unstable: counted,
      fiberDiameter: z.object({ min: z.number(), max: z.number() }).nullable(),
    }),
  ),
});
export const summaryAnswer = z.object({
  papers: counted,
  stable: z.object({ yes: counted, no: counted }),
  repeats: z.object({ records: counted, groups: counted }).nullable(),
});

// Its members are those of the catalogue, because a record is validated before it is published.
const data = z.custom<ExperimentData>(isObject);
const numbered = z.object({ recordId: counted, normalized: z.partialRecord(feature, z.number()) });
export const recordsAnswer: z.ZodType<ShownRecord[]> = z.array(
  z.intersection(numbered, z.object({}).loose()).transform(({ recordId, normalized, ...rest }) => ({
    recordId,
    normalized,
    data: data.parse(rest),
  })),
);
