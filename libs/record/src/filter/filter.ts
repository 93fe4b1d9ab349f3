import type { CategoryKey, Feature, TextKey } from './filter-keys.ts';
import { type RecordStatus, recordStatuses } from '../status/record-status.ts';

/** A text to be found; `text` is folded (see `fold`), a DOI normalized. */
export interface TextCondition {
  readonly kind: 'text';
  readonly key: TextKey;
  readonly text: string;
}

/** One of some values of a category, exactly as `categoryValue` has them; sorted, each once. None: a record without a value. */
export interface ValueCondition {
  readonly kind: 'values';
  readonly key: CategoryKey;
  readonly values: readonly string[];
}

/** A range in the feature's filter unit, bounds included; at least one of them is there. */
export interface RangeCondition {
  readonly kind: 'range';
  readonly key: Feature;
  readonly min?: number;
  readonly max?: number;
}

export interface FlagCondition {
  readonly kind: 'flag';
  readonly key: 'isFormationStable';
  readonly value: boolean;
}

/** The statuses that a filter may ask for. */
export const conditionStatuses: readonly (RecordStatus | 'PUBLISHED')[] = ['PUBLISHED', ...recordStatuses];

/** PUBLISHED and APPROVED mean every public record, each other status none. */
export interface StatusCondition {
  readonly kind: 'status';
  readonly key: 'status';
  readonly status: RecordStatus | 'PUBLISHED';
}

export type Condition = TextCondition | ValueCondition | RangeCondition | FlagCondition | StatusCondition;

/** Conditions that must all hold, one a key, sorted by key. Without any, every record matches. */
export type Filter = readonly Condition[];

/** Whether a condition on the status lets public records through. */
export function isPublic({ status }: StatusCondition): boolean {
  return status === 'PUBLISHED' || status === 'APPROVED';
}

/** A text that is equal for filters of the same meaning, however they were written: for caches and entity tags. */
export function filterKey(filter: Filter): string {
  const parts = filter.flatMap((condition): unknown[] => {
    switch (condition.kind) {
      case 'text':
        return [[condition.key, condition.text]];
      case 'values':
        return [[condition.key, condition.values]];
      case 'range':
        return [[condition.key, condition.min ?? null, condition.max ?? null]];
      case 'flag':
        return [[condition.key, condition.value]];
      case 'status':
        return isPublic(condition) ? [] : [[condition.key]];
    }
  });
  return JSON.stringify(parts);
}
