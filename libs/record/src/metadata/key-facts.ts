import { type CategoryKey, type Feature, features } from '../filter/filter-keys.ts';
import { describedKeys, type KeyLabel } from './key-labels.ts';

/** The facts about a feature or a category. */
export interface KeyFacts extends KeyLabel {
  readonly key: Feature | CategoryKey;
  readonly type: 'number' | 'category';
  /** The unit of the filter; null for a category. */
  readonly unit: string | null;
  /** The normalized column of files; null without one. */
  readonly column: string | null;
  /** The meaning, the conversion, and what the value is not. */
  readonly description: string;
}

/** The facts about each key, in the order of `/metadata/features`. */
export const keyFacts: readonly KeyFacts[] = describedKeys.map(
  ({ key, label, group, kind, meaning, details, normalizedColumn = null }): KeyFacts => {
    const texts = { label, group, kind, description: `${meaning} ${details}` };
    const feature = features.find((one) => one.feature === key);
    if (feature) return { key, ...texts, type: 'number', unit: feature.unit, column: normalizedColumn };
    return { key, ...texts, type: 'category', unit: null, column: normalizedColumn };
  },
);
