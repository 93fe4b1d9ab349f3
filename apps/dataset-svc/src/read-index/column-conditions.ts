import { type Filter, isPublic } from '@esd/record/filter/filter';
import type { References } from '@esd/record/reference/reference';
import { STABILITY } from './columns/row-columns.ts';
import type { ColumnCondition } from './columns/segment.ts';
import { featureKeys, termKeys } from './index-row.table.ts';
import type { TermDictionary } from './term-dictionary.ts';

/** A filter as conditions on the columns, under the lists of a revision; undefined when nothing can match. */
export function columnConditions(
  filter: Filter,
  { dictionary, references }: { dictionary: TermDictionary; references: References },
): ColumnCondition[] | undefined {
  const conditions: ColumnCondition[] = [];
  for (const condition of filter) {
    switch (condition.kind) {
      case 'range': {
        const { key, min = -Infinity, max = Infinity } = condition;
        conditions.push({ kind: 'range', feature: featureKeys.indexOf(key), min, max });
        break;
      }
      case 'text': {
        const ids = dictionary.matching(condition, references);
        if (ids.length === 0) return undefined;
        conditions.push({ kind: 'terms', term: termKeys.indexOf(condition.key), ids });
        break;
      }
      case 'values': {
        const { key, values } = condition;
        if (key === 'isFormationStable') {
          const known = values.map((value) => (value === 'yes' ? STABILITY.yes : STABILITY.no));
          conditions.push({ kind: 'stability', values: values.length === 0 ? [STABILITY.unknown] : known });
          break;
        }
        const term = termKeys.indexOf(key);
        if (values.length === 0) {
          conditions.push({ kind: 'noTerms', term });
          break;
        }
        const ids = dictionary.withValues({ ...condition, key }, references);
        if (ids.length === 0) return undefined;
        conditions.push({ kind: 'terms', term, ids });
        break;
      }
      case 'flag':
        conditions.push({ kind: 'stability', values: [condition.value ? STABILITY.yes : STABILITY.no] });
        break;
      case 'status':
        if (!isPublic(condition)) return undefined;
        break;
    }
  }
  return conditions;
}
