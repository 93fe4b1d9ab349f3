import * as z from 'zod/mini';

const counted = z.number();

const described = z.object({
  key: z.string(),
  label: z.string(),
  group: z.enum(['solution', 'process', 'ambient', 'fiber', 'properties', 'paper']),
  kind: z.enum(['setting', 'result']),
  type: z.enum(['number', 'category']),
  unit: z.nullable(z.string()),
  column: z.nullable(z.string()),
  description: z.string(),
  count: counted,
  notConvertible: z.nullable(counted),
  distinct: z.nullable(counted),
  range: z.nullable(z.object({ min: z.number(), max: z.number() })),
});
export type DescribedKey = z.infer<typeof described>;

/** The response of `/metadata/features`. */
export const featuresSchema = z.object({ total: counted, features: z.array(described) });
export type Features = z.infer<typeof featuresSchema>;
