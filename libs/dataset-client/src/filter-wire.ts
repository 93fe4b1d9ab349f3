import type { Filter as WireFilter, FilterCondition } from '@esd/proto/esd/dataset/v1/dataset';
import { type Condition, conditionStatuses, type Filter } from '@esd/record/filter/filter';
import { categoryKeys, paperKeys, rangeKeys, textKeys } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';

/** Converts a filter to a message; undefined (every record) for an empty filter. */
export function filterToWire(filter: Filter): WireFilter | undefined {
  if (filter.length === 0) return undefined;
  return { conditions: filter.map((condition) => ({ key: condition.key, condition: toWire(condition) })) };
}

function toWire(condition: Condition): FilterCondition['condition'] {
  switch (condition.kind) {
    case 'text':
      return { $case: 'text', value: condition.text };
    case 'values':
      return { $case: 'values', value: { values: [...condition.values] } };
    case 'range':
      return { $case: 'range', value: { min: condition.min, max: condition.max } };
    case 'flag':
      return { $case: 'flag', value: condition.value };
    case 'status':
      return { $case: 'status', value: condition.status };
  }
}

/** Reads the filter of a message. Throws UNAVAILABLE for a condition that only a later software release knows. */
export function filterFromWire(filter: WireFilter | undefined): Filter {
  return (filter?.conditions ?? []).map(({ key, condition }) => {
    const read = fromWire(key, condition);
    if (!read) {
      throw new ServiceError(
        'UNAVAILABLE',
        `This replica does not know the condition \`${key}\` yet. Retry in a moment.`,
      );
    }
    return read;
  });
}

function fromWire(key: string, condition: FilterCondition['condition']): Condition | undefined {
  switch (condition?.$case) {
    case 'text': {
      const known = [...textKeys.map((one) => one.key), ...paperKeys].find((one) => one === key);
      return known && { kind: 'text', key: known, text: condition.value };
    }
    case 'range': {
      const known = rangeKeys.find(({ feature }) => feature === key);
      const { min, max } = condition.value;
      return (
        known && {
          kind: 'range',
          key: known.feature,
          ...(min === undefined ? {} : { min }),
          ...(max === undefined ? {} : { max }),
        }
      );
    }
    case 'values': {
      const known = categoryKeys.find((one) => one === key);
      return known && { kind: 'values', key: known, values: condition.value.values };
    }
    case 'flag':
      return key === 'isFormationStable' ? { kind: 'flag', key, value: condition.value } : undefined;
    case 'status': {
      const status = conditionStatuses.find((one) => one === condition.value);
      return key === 'status' && status !== undefined ? { kind: 'status', key, status } : undefined;
    }
    case undefined:
      return undefined;
  }
}
