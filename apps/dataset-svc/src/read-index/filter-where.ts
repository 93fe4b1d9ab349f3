import { type Filter, isPublic } from '@esd/record/filter/filter';
import type { References } from '@esd/record/reference/reference';
import type { Where } from './columnar-index.ts';
import { orderedBits } from './ordered-bits.ts';
import { FEATURE_COLUMNS, TERM_COLUMNS } from './index-row.table.ts';
import type { TermDictionary } from './term-dictionary.ts';

// A longer list is bound as one value.
const MAX_IN_LIST = 40;

/** A filter at a dataset revision as a condition on the columns; undefined when nothing can match. */
export function filterWhere(
  filter: Filter,
  revision: number,
  dictionary: TermDictionary,
  references: References,
): Where | undefined {
  const parts = ['valid_from <= ?', 'valid_to > ?'];
  const values: Where['values'] = [revision, revision];
  for (const condition of filter) {
    switch (condition.kind) {
      case 'range': {
        const column = FEATURE_COLUMNS[condition.key];
        if (condition.min !== undefined) {
          parts.push(`${column} >= ?`);
          values.push(orderedBits(condition.min));
        }
        if (condition.max !== undefined) {
          parts.push(`${column} <= ?`);
          values.push(orderedBits(condition.max));
        }
        break;
      }
      case 'text': {
        const ids = dictionary.matching(condition, references);
        if (ids.length === 0) return undefined;
        const column = TERM_COLUMNS[condition.key];
        if (ids.length <= MAX_IN_LIST) {
          parts.push(`${column} in (${ids.map(() => '?').join(', ')})`);
          values.push(...ids);
        } else {
          parts.push(`${column} in (select unnest(?))`);
          values.push([...ids]);
        }
        break;
      }
      case 'flag':
        parts.push('is_formation_stable = ?');
        values.push(condition.value);
        break;
      case 'status':
        if (!isPublic(condition)) return undefined;
        break;
    }
  }
  return { sql: parts.join(' and '), values };
}
