import type { SortKey } from '@esd/record/filter/sort-keys';
import type { ColumnKey } from './columns/sorted.ts';
import { featureKeys, termKeys } from './index-row.table.ts';
import type { TermDictionary } from './term-dictionary.ts';

/** Keys as the columns that rows are sorted by. */
export async function columnKeys(sort: readonly SortKey[], dictionary: TermDictionary): Promise<ColumnKey[]> {
  const keys: ColumnKey[] = [];
  for (const { key, descending } of sort) {
    switch (key) {
      case 'recordId':
      case 'publishedAt':
        keys.push({ kind: key, descending });
        break;
      case 'doi':
        keys.push({ kind: 'term', term: termKeys.indexOf(key), ranks: await dictionary.ranks(key), descending });
        break;
      default:
        keys.push({ kind: 'feature', feature: featureKeys.indexOf(key), descending });
    }
  }
  return keys;
}
