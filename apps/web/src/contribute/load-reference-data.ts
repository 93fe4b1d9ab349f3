import type { Feature } from '@esd/record/filter/filter-keys';
import { recordFeatures } from '@esd/record/filter/filter-keys';
import { indexReferences, type ReferenceLists } from '@esd/record/reference/reference';
import { isObject } from '@esd/record/validate/read-value';
import { request } from '../client/request.ts';
import type { ReferenceData, ValueRange } from './reference-data.ts';

/** Loads the reference lists. Throws RequestError. */
export async function loadReferences(base: string, signal: AbortSignal): Promise<ReferenceData> {
  const { body } = await request(`${base}/contribute`, { signal });
  if (!areLists(body)) throw new Error('The response lacks the reference lists.');
  return { references: indexReferences(body), ranges: {}, counts: {} };
}

// The service serialized a value of this type.
function areLists(body: unknown): body is ReferenceLists {
  return isObject(body) && Array.isArray(body['polymers']) && Array.isArray(body['units']);
}

const CATEGORIES = ['polymer', 'solvent', 'collectorType', 'needleType'];

/** Loads the ranges and the name counts of the dataset, which the form can do without. Throws RequestError. */
export async function loadDataset(
  base: string,
  signal: AbortSignal,
): Promise<Pick<ReferenceData, 'ranges' | 'counts'>> {
  const root = `${base}/public/dataset`;
  const [{ body: figures }, { body: facets }] = await Promise.all([
    request(`${root}/statistics`, { signal }),
    request(`${root}/facets?keys=${CATEGORIES.join(',')}&limit=1000`, { signal }),
  ]);
  const statistics = inner(figures, 'statistics');
  const ranges: Partial<Record<Feature, ValueRange>> = {};
  for (const { feature } of recordFeatures) {
    const { count, min, max } = inner(statistics, feature);
    if (typeof count === 'number' && typeof min === 'number' && typeof max === 'number') {
      ranges[feature] = { count, min, max };
    }
  }
  const all = inner(facets, 'facets');
  return { ranges, counts: Object.fromEntries(CATEGORIES.map((key) => [key, countsOf(inner(all, key)['values'])])) };
}

function inner(value: unknown, member: string): Readonly<Record<string, unknown>> {
  const found = isObject(value) ? value[member] : undefined;
  return isObject(found) ? found : {};
}

function countsOf(values: unknown): ReadonlyMap<string, number> {
  const rows = Array.isArray(values) ? values.filter(isObject) : [];
  return new Map(
    rows.flatMap(({ value, count }) =>
      typeof value === 'string' && typeof count === 'number' ? [[value, count]] : [],
    ),
  );
}
