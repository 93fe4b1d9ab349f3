import { type Filter, isPublic } from '@esd/record/filter/filter';
import { exactValues } from '@esd/record/filter/category-values';
import { isPaperKey, isSystemKey, type PaperKey, type SystemKey } from '@esd/record/filter/filter-keys';
import { nameProblem } from '@esd/record/filter/name-problem';
import { fold } from '@esd/record/reference/fold';
import { ServiceError } from '@esd/service/errors';
import { codesWithValue, columnOf, type TextsAtState } from './category-table.ts';
import { type CodedColumn, FIRST_NUMBER, NO_VALUE, type NumberColumn } from './coded-column.ts';
import { type Columns, STABILITY } from './columns.ts';

export interface Mask {
  readonly codes: Int32Array;
  /** By code: 1 if it satisfies the condition. */
  readonly matches: Uint8Array;
}

/** Returns a mask for each condition, by the given lists; undefined if no record can match. Throws INVALID_FILTER. */
export async function masksOf(
  filter: Filter,
  index: TextsAtState & { readonly columns: Columns },
): Promise<Mask[] | undefined> {
  const { columns, dictionary, references } = index;
  const problem = nameProblem(filter, references);
  if (problem) throw new ServiceError(problem.code, problem.message, { details: { errors: [problem] } });
  const masks: Mask[] = [];
  const add = (column: CodedColumn, codes: Iterable<number>): void => {
    const matches = new Uint8Array(column.codeEnd);
    for (const code of codes) matches[code] = 1;
    masks.push({ codes: column.codes, matches });
  };
  const addWanted = async (
    key: SystemKey | PaperKey,
    isWanted: ((value: string) => boolean) | undefined,
  ): Promise<void> => {
    add(columnOf(columns, key), await codesWithValue(index, key, isWanted));
  };
  for (const condition of filter) {
    switch (condition.kind) {
      case 'range': {
        const { key, min = -Infinity, max = Infinity } = condition;
        if (key === 'year') await addWanted(key, (value) => Number(value) >= min && Number(value) <= max);
        else masks.push(rangeMask(columns.features[key], min, max));
        break;
      }
      case 'text': {
        const { key, text } = condition;
        if (isPaperKey(key)) await addWanted(key, (value) => fold(value).includes(text));
        else add(columns.terms[key], dictionary.matching({ ...condition, key }, references));
        break;
      }
      case 'values': {
        const { key, values } = condition;
        if (key === 'isFormationStable') {
          const known = values.map((value) => (value === 'yes' ? STABILITY.yes : STABILITY.no));
          add(columns.stability, values.length === 0 ? [STABILITY.unknown] : known);
          break;
        }
        if (isPaperKey(key) || isSystemKey(key)) {
          const exact = exactValues(condition, references);
          await addWanted(key, values.length === 0 ? undefined : (value) => exact.includes(value));
          break;
        }
        const column = columns.terms[key];
        add(column, values.length === 0 ? [NO_VALUE] : dictionary.withValues({ ...condition, key }, references));
        break;
      }
      case 'flag':
        add(columns.stability, [condition.value ? STABILITY.yes : STABILITY.no]);
        break;
      case 'status':
        if (!isPublic(condition)) return undefined;
        break;
    }
  }
  return masks;
}

function rangeMask({ codes, codeEnd, values }: NumberColumn, min: number, max: number): Mask {
  const matches = new Uint8Array(codeEnd);
  for (let code = FIRST_NUMBER; code < codeEnd; code += 1) {
    const value = values[code] ?? NaN;
    if (value >= min && value <= max) matches[code] = 1;
  }
  return { codes, matches };
}
