import { type CategoryKey, categoryKeys, type Feature } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { ServiceError } from '@esd/service/errors';
import { categoryTable, columnOf } from '../read-index/category-table.ts';
import type { CodedColumn } from '../read-index/coded-column.ts';
import { STABILITY } from '../read-index/columns.ts';
import type { IndexAtState } from '../read-index/matching-rows.ts';

export interface Category {
  readonly key: CategoryKey;
  readonly column: CodedColumn;
  /** The distinct values, by the names of the lists. */
  readonly values: readonly string[];
  /** By code of the column: the values of a row with this code, as indexes in `values`. */
  readonly valuesOf: readonly (readonly number[] | undefined)[];
}

const stableValues: Pick<Category, 'values' | 'valuesOf'> = {
  values: ['no', 'yes'],
  valuesOf: Object.values(STABILITY).map((code) => (code === STABILITY.unknown ? [] : [code - 1])),
};

export async function categoryOf(index: IndexAtState, key: CategoryKey): Promise<Category> {
  const { columns } = index;
  if (key === 'isFormationStable') return { key, column: columns.stability, ...stableValues };
  return { key, column: columnOf(columns, key), ...(await categoryTable(index, key)) };
}

/** Returns a category key. Throws INVALID_PARAMETER for an unknown name. */
export function requireCategory(name: string): CategoryKey {
  const key = categoryKeys.find((category) => category === name);
  if (key === undefined) throw new ServiceError('INVALID_PARAMETER', `"${name}" is not a category.`);
  return key;
}

export function isCategory(key: Feature | CategoryKey): key is CategoryKey {
  return categoryKeys.some((category) => category === key);
}

/** Sums counts by code for each of the first `size` values of a category; the last item counts the rows without a value. */
export function countValues({ valuesOf }: Category, byCode: Int32Array, size: number): Int32Array {
  const counts = new Int32Array(size + 1);
  for (const [code, count] of byCode.entries()) {
    if (count === 0) continue;
    const values = valuesOf[code] ?? [];
    for (const value of values.length === 0 ? [size] : values) counts[value] = (counts[value] ?? 0) + count;
  }
  return counts;
}

/** Returns by code whether a row has a value. */
export function filledCodes({ column: { codeEnd }, valuesOf }: Category): Uint8Array {
  const filled = new Uint8Array(codeEnd);
  for (let code = 0; code < codeEnd; code += 1) if ((valuesOf[code] ?? []).length > 0) filled[code] = 1;
  return filled;
}

/** Returns the values of rows with a code, in text order. */
export function namesOf({ values, valuesOf }: Category, code: number): string[] {
  return (valuesOf[code] ?? []).map((value) => values[value] ?? '').sort(byCodePoint);
}
