import type { ExperimentData } from '../catalog/catalog.ts';
import { categoryValues, termsOf, valuesMatcher } from './category-values.ts';
import { featureValues } from './feature-values.ts';
import type { FeatureValues } from './feature-values.ts';
import type { RangeKey } from './filter-keys.ts';
import { isPublic } from './filter.ts';
import type { Condition, Filter } from './filter.ts';
import type { PaperValues } from './paper-values.ts';
import type { References } from '../reference/reference.ts';
import { recordTerms, termsMatcher } from './text-terms.ts';
import type { RecordTerms } from './text-terms.ts';

export interface FilteredValues {
  readonly features: FeatureValues;
  readonly terms: RecordTerms;
  /** The values that the list of papers gives for the DOI of the record. */
  readonly paper: PaperValues | undefined;
  readonly isFormationStable: boolean | undefined;
}

export function filteredValues(
  data: ExperimentData,
  references: References,
  paper: PaperValues | undefined,
): FilteredValues {
  return {
    features: featureValues(data, references),
    terms: recordTerms(data),
    paper,
    isFormationStable: data.fiberProperty?.isFormationStable,
  };
}

export function conditionHolds(condition: Condition, values: FilteredValues, references: References): boolean {
  switch (condition.kind) {
    case 'text':
      return termsMatcher(condition, references)(termsOf(condition.key, values));
    case 'values':
      return valuesMatcher(condition, references)(categoryValues(condition.key, values, references));
    case 'range': {
      const value = numberOf(condition.key, values);
      if (value === undefined) return false;
      return value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
    }
    case 'flag':
      return values.isFormationStable === condition.value;
    case 'status':
      return isPublic(condition);
  }
}

/** Returns the number that a range compares. */
export function numberOf(key: RangeKey, { features, paper }: FilteredValues): number | undefined {
  return key === 'year' ? paper?.year : features[key];
}

/**
 * Returns whether a published record satisfies every condition. Defines the meaning of filters; every index must return
 * the same records. `references` and `paper` are those of the queried dataset revision.
 */
export function matchFilter(
  filter: Filter,
  data: ExperimentData,
  references: References,
  paper?: PaperValues,
): boolean {
  const values = filteredValues(data, references, paper);
  return filter.every((condition) => conditionHolds(condition, values, references));
}
