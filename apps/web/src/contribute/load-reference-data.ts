import type { Feature } from '@esd/record/filter/filter-keys';
import { recordFeatures } from '@esd/record/filter/filter-keys';
import { indexReferences, type ReferenceLists } from '@esd/record/reference/reference';
import { isObject } from '@esd/record/validate/read-value';
import { request } from '../client/request.ts';
import type { ReferenceData, ValueRange } from './reference-data.ts';

/** The reference lists, by which everything is checked. Throws RequestError. */
export async function loadReferences(base: string, signal: AbortSignal): Promise<ReferenceData> {
  const { body } = await request(`${base}/contribute`, { signal });
  if (!areLists(body)) throw new Error('The answer is no reference lists.');
  return { references: indexReferences(body), ranges: {}, counts: {} };
}

// Made from the same type by the service.
function areLists(body: unknown): body is ReferenceLists {
  return isObject(body) && Array.isArray(body['polymers']) && Array.isArray(body['units']);
}

const CATEGORIES = ['polymer', 'solvent', 'collectorType', 'needleType'];

/** What the dataset has: ranges of values, and how often names occur. It helps, and nothing waits for it. Throws RequestError. */
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
