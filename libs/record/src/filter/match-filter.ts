import type { ExperimentData } from '../catalog/catalog.ts';
import { categoryValues } from './category-values.ts';
import { featureValues } from './feature-values.ts';
import type { FeatureValues } from './feature-values.ts';
import { isPublic } from './filter.ts';
import type { Condition, Filter } from './filter.ts';
import type { References } from '../reference/reference.ts';
import { recordTerms, termMatches } from './text-terms.ts';
import type { RecordTerms } from './text-terms.ts';

export interface FilteredValues {
  readonly features: FeatureValues;
  readonly terms: RecordTerms;
  readonly isFormationStable: boolean | undefined;
}

export function filteredValues(data: ExperimentData, references: References): FilteredValues {
  return {
    features: featureValues(data, references),
    terms: recordTerms(data),
    isFormationStable: data.fiberProperty?.isFormationStable,
  };
}

export function conditionHolds(condition: Condition, values: FilteredValues, references: References): boolean {
  switch (condition.kind) {
    case 'text':
      return values.terms[condition.key].some((term) => termMatches(condition, term, references));
    case 'values': {
      const own = categoryValues(condition.key, values, references);
      return condition.values.length === 0 ? own.length === 0 : own.some((value) => condition.values.includes(value));
    }
    case 'range': {
      const value = values.features[condition.key];
      if (value === undefined) return false;
      return value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
    }
    case 'flag':
      return values.isFormationStable === condition.value;
    case 'status':
      return isPublic(condition);
  }
}

/**
 * Returns whether a published record satisfies every condition. Defines the meaning of filters; every index must return
 * the same records. `references` are the lists of the queried dataset revision.
 */
export function matchFilter(filter: Filter, data: ExperimentData, references: References): boolean {
  const values = filteredValues(data, references);
  return filter.every((condition) => conditionHolds(condition, values, references));
}
