import type { ExperimentData } from '@esd/record/catalog/catalog';
import { featureValues } from '@esd/record/filter/feature-values';
import { filterKey } from '@esd/record/filter/filter';
import { features, textKeys } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import type { References } from '@esd/record/reference/reference';
import { recordTerms } from '@esd/record/filter/text-terms';
import { seeded } from './random.ts';

/** Share of the conditions that search a text, unless given. */
const TEXTS = 0.35;

/**
 * Makes filters of one to three conditions, none of which comes twice. Values are taken from the records: a text is that of a
 * record drawn at random, or a word of it, a range lies between, above or below the values of drawn records; so the keys
 * that records fill most are asked for most.
 */
export function randomFilters(
  records: readonly ExperimentData[],
  references: References,
  seed: number,
  texts = TEXTS,
): () => string {
  const random = seeded(seed);
  const values = records.map((data) => featureValues(data, references));
  const terms = records.map((data) => recordTerms(data));
  const made = new Set<string>();

  const text = (filter: Record<string, unknown>): void => {
    const { key } = random.pick(textKeys);
    const held = random.pick(terms)[key];
    if (held.length === 0) return;
    const words = random.pick(held).split(/\s+/);
    filter[key] = random.next() < 0.5 ? words.join(' ') : random.pick(words);
  };
  const range = (filter: Record<string, unknown>): void => {
    const { feature, min, max } = random.pick(features);
    const [one, other] = [random.pick(values)[feature], random.pick(values)[feature]];
    if (one === undefined || other === undefined) return;
    // A little beside the value, so that ranges do not come again.
    const [low, high] = [Math.min(one, other), Math.max(one, other)].map(
      (value) => value * (0.98 + 0.04 * random.next()),
    );
    if (low === undefined || high === undefined) return;
    const kind = random.below(3);
    if (kind !== 1) filter[min] = Math.min(low, high);
    if (kind !== 0) filter[max] = Math.max(low, high);
  };
  const conditions = (filter: Record<string, unknown>): number =>
    new Set(Object.keys(filter).map((key) => key.replace(/(Min|Max)$/, ''))).size;

  return () => {
    for (;;) {
      const filter: Record<string, unknown> = {};
      const wanted = 1 + random.below(3);
      while (conditions(filter) < wanted) {
        if (random.next() < texts) text(filter);
        else range(filter);
      }
      const json = JSON.stringify(filter);
      const parsed = parseFilter(json);
      // A key drawn twice may have been left with bounds that cross.
      if ('problem' in parsed) continue;
      const key = filterKey(parsed.filter);
      if (made.has(key)) continue;
      made.add(key);
      return json;
    }
  };
}
