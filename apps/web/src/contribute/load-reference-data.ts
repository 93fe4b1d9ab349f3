import { effect } from '@preact/signals';
import { indexReferences, type ReferenceLists } from '@esd/record/reference/reference';
import type { Percentiles } from '@esd/record/sheet/assume-units';
import { isObject } from '@esd/record/validate/is-object';
import { request } from '../client/request.ts';
import { loadRanges } from '../range-warnings.ts';
import { call, type Send } from '../client/call.ts';
import type { Contribution } from './contribution.ts';
import type { ReferenceData } from './reference-data.ts';

/** Loads the reference lists. Throws RequestError. */
export async function loadReferences(base: string, signal: AbortSignal): Promise<ReferenceData> {
  const { body } = await request(`${base}/contribute`, { signal });
  if (!areLists(body)) throw new Error('The response lacks the reference lists.');
  return { references: indexReferences(body), percentiles: body.percentiles, ranges: new Map(), counts: {} };
}

// The service serialized a value of this type.
function areLists(body: unknown): body is ReferenceLists & { percentiles?: Percentiles } {
  return isObject(body) && Array.isArray(body['polymers']) && Array.isArray(body['units']);
}

const CATEGORIES = ['polymer', 'solvent', 'collectorType', 'needleType'] as const;

/** Loads the name counts of the dataset, which the form can do without. Throws RequestError. */
export async function loadCounts(base: string, signal: AbortSignal): Promise<ReferenceData['counts']> {
  const query = `keys=${CATEGORIES.join(',')}&limit=1000`;
  const { facets } = (await call(sendTo(base, signal), 'get', '/public/dataset/facets', { query })).body;
  return Object.fromEntries(
    CATEGORIES.map((key) => [key, new Map(facets[key]?.values.map(({ value, count }) => [value, count]))]),
  );
}

const sendTo =
  (base: string, signal: AbortSignal): Send =>
  (path) =>
    request(base + path, { signal });

const MAX_RANGES = 100;

/**
 * Loads the ranges of the polymers in the input as they change, until `signal` aborts. One at a time, because the service limits
 * analyses per address. The form can do without them: a failed request is not repeated.
 */
export function followRanges({ referenceData, polymers }: Contribution, base: string, signal: AbortSignal): void {
  let isLoading = false;
  const load = async (polymerText: string): Promise<void> => {
    isLoading = true;
    const ranges = await loadRanges(polymerText, sendTo(base, signal)).catch(() => ({}));
    isLoading = false;
    const { value } = referenceData;
    if (value && !signal.aborted)
      referenceData.value = { ...value, ranges: new Map([...value.ranges, [polymerText, ranges]]) };
  };
  const stop = effect(() => {
    const ranges = referenceData.value?.ranges;
    if (isLoading || ranges === undefined || ranges.size >= MAX_RANGES) return;
    const next = [...polymers.value].find((text) => !ranges.has(text));
    if (next !== undefined) void load(next);
  });
  signal.addEventListener('abort', stop);
}
