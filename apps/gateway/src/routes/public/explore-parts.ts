import { featureNames } from '@esd/api/names-text';
import { filterText, type Repeats, repeatsQuery } from '@esd/api/record-list';
import { z } from 'zod';
import type { Question } from '@esd/dataset-client/explore-one';
import { ServiceError } from '@esd/service/errors';
import type { Description } from '@esd/api/operation';

/** The API of one kind of analysis. */
export interface Analysis<Shape extends z.ZodRawShape> {
  /** The last segment of the path. */
  name: string;
  query: z.ZodObject<Shape>;
  ask: (query: z.output<z.ZodObject<Shape>>) => {
    filter: string | undefined;
    repeats: Repeats;
    question: Question;
  };
  describe: Pick<Description, 'summary' | 'details' | 'returns'> & {
    parameters?: Readonly<Record<string, string | number>>;
  };
  answer: z.ZodType;
}

/** The parameters that select the records of an analysis. */
export const selection = { filter: filterText, repeats: repeatsQuery };

export const total = z.int().min(0).meta({ description: 'The number of records that match the filter.' });
export const version = z.string().meta({ description: '`latest` or the identifier of a release.' });
export const count = z.int().min(0);
export const missing = count.meta({ description: 'The number of records without a value.' });
export const notConvertible = count.meta({
  description: 'The number of records with a value that cannot be converted.',
});
export const placed = count.meta({ description: 'The number of records with both values.' });
export const excluded = z
  .array(z.strictObject({ reason: z.string(), feature: z.enum(featureNames).optional(), count }))
  .optional()
  .meta({ description: 'With `explain=true`, the number of matching records that are not placed, by reason.' });

export const SCALES = ['linear', 'log'] as const;
export const scale = z.enum(SCALES).default('linear');
export const flag = z.enum(['true', 'false']).default('false');
/** Returns the member of a question for a flag. It is absent if the flag is not set, so that both spellings are one question. */
export function isSet(value: 'true' | 'false'): true | undefined {
  return value === 'true' || undefined;
}

export const explain = flag.meta({ description: 'With `true`, the response says why records are not placed.' });
export const tried = flag.meta({
  description:
    'With `true`, the response also describes the tried records: those that match the filter without its conditions on results. `GET /metadata/features` lists which keys are results.',
});
export const IN_UNIT = 'All numbers are in the unit of the filter for their feature.';

/** Validates the scale and the bounds of bins. `names` are the parameter names for messages. Throws INVALID_PARAMETER. */
export function scaled(
  { scale, min, max }: { scale: (typeof SCALES)[number]; min: number | undefined; max: number | undefined },
  names: { min: string; max: string; scale: string },
): { isLog: boolean; min: number | undefined; max: number | undefined } {
  const isLog = scale === 'log';
  for (const [name, bound] of [
    [names.min, min],
    [names.max, max],
  ] as const) {
    if (isLog && bound !== undefined && bound <= 0) {
      const message = `\`${name}\` must be above 0 with \`${names.scale}=log\`, got ${bound}.`;
      throw new ServiceError('INVALID_PARAMETER', message);
    }
  }
  if (min !== undefined && max !== undefined && min >= max) {
    throw new ServiceError('INVALID_PARAMETER', `\`${names.min}\` (${min}) must be below \`${names.max}\` (${max}).`);
  }
  return { isLog, min, max };
}
export const figure = z.number().nullable();
export const quartiles = { q25: figure, median: figure, q75: figure };
export const stable = z.strictObject({ yes: count, no: count, unknown: count });
export const papers = count.meta({ description: 'The number of distinct DOIs.' });
export const edges = z.array(z.number()).meta({ description: 'The edges of the bins; one more than there are bins.' });
