import type { ExperimentData } from '@esd/record/catalog/catalog';
import { featureValues } from '@esd/record/filter/feature-values';
import { filterKey } from '@esd/record/filter/filter';
import { features, textKeys } from '@esd/record/filter/filter-keys';
import { parseFilter } from '@esd/record/filter/parse-filter';
import type { References } from '@esd/record/reference/reference';
import { recordTerms } from '@esd/record/filter/text-terms';
import { seeded } from './random.ts';

const TEXTS = 0.35;

/**
 * Returns a generator of distinct filters with one to three conditions. Values come from random records: a text condition uses a text or one
 * of its words; a range lies between, above or below two values. Keys with many values are therefore used most.
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
    const texts = random.pick(terms)[key];
    if (texts.length === 0) return;
    const words = random.pick(texts).split(/\s+/);
    filter[key] = random.next() < 0.5 ? words.join(' ') : random.pick(words);
  };
  const range = (filter: Record<string, unknown>): void => {
    const { feature, min, max } = random.pick(features);
    const [one, other] = [random.pick(values)[feature], random.pick(values)[feature]];
    if (one === undefined || other === undefined) return;
    // Shifts the bounds slightly, so that ranges do not repeat.
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
      // A key that was chosen twice can have crossing bounds.
      if ('problem' in parsed) continue;
      const key = filterKey(parsed.filter);
      if (made.has(key)) continue;
      made.add(key);
      return json;
    }
  };
}
