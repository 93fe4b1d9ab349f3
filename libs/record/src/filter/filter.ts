import type { CategoryKey, PaperKey, RangeKey, TextKey } from './filter-keys.ts';
import { type RecordStatus, recordStatuses } from '../status/record-status.ts';

/** A text search; `text` is folded (see `fold`), a DOI normalized. */
export interface TextCondition {
  readonly kind: 'text';
  readonly key: TextKey | PaperKey;
  readonly text: string;
}

/**
 * Exact values of a category (see `categoryValue`), sorted and unique; any of them matches. An empty list matches records
 * without a value.
 */
export interface ValueCondition {
  readonly kind: 'values';
  readonly key: CategoryKey;
  readonly values: readonly string[];
}

/** A range in the feature's filter unit, bounds included; at least one is present. */
export interface RangeCondition {
  readonly kind: 'range';
  readonly key: RangeKey;
  readonly min?: number;
  readonly max?: number;
}

export interface FlagCondition {
  readonly kind: 'flag';
  readonly key: 'isFormationStable';
  readonly value: boolean;
}

export const conditionStatuses: readonly (RecordStatus | 'PUBLISHED')[] = ['PUBLISHED', ...recordStatuses];

/** PUBLISHED and APPROVED match every public record; other statuses match no record. */
export interface StatusCondition {
  readonly kind: 'status';
  readonly key: 'status';
  readonly status: RecordStatus | 'PUBLISHED';
}

export type Condition = TextCondition | ValueCondition | RangeCondition | FlagCondition | StatusCondition;

/**
 * Conditions that must all hold, sorted by key. A key has one condition; only `year` can have a range after its text or values.
 * An empty filter matches every record.
 */
export type Filter = readonly Condition[];

export function isPublic({ status }: StatusCondition): boolean {
  return status === 'PUBLISHED' || status === 'APPROVED';
}

/** Returns a text that is equal for filters with the same meaning, for caches and entity tags. */
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
