import { type Filter, isPublic } from '@esd/record/filter/filter';
import type { References } from '@esd/record/reference/reference';
import { type CodedColumn, FIRST_NUMBER, NO_VALUE, type NumberColumn } from './coded-column.ts';
import { type Columns, STABILITY } from './columns.ts';
import type { TermDictionary } from './term-dictionary.ts';

export interface Mask {
  readonly codes: Int32Array;
  /** By code: 1 if it satisfies the condition. */
  readonly wanted: Uint8Array;
}

interface Lookup {
  readonly columns: Columns;
  readonly dictionary: TermDictionary;
  readonly references: References;
}

/** Returns a mask for each condition, by the given lists; undefined if no record can match. */
export function masksOf(filter: Filter, { columns, dictionary, references }: Lookup): Mask[] | undefined {
  const masks: Mask[] = [];
  const add = (column: CodedColumn, codes: Iterable<number>): void => {
    const wanted = new Uint8Array(column.codeEnd);
    for (const code of codes) wanted[code] = 1;
    masks.push({ codes: column.codes, wanted });
  };
  for (const condition of filter) {
    switch (condition.kind) {
      case 'range': {
        const { key, min = -Infinity, max = Infinity } = condition;
        masks.push(rangeMask(columns.features[key], min, max));
        break;
      }
      case 'text':
        add(columns.terms[condition.key], dictionary.matching(condition, references));
        break;
      case 'values': {
        const { key, values } = condition;
        if (key === 'isFormationStable') {
          const known = values.map((value) => (value === 'yes' ? STABILITY.yes : STABILITY.no));
          add(columns.stability, values.length === 0 ? [STABILITY.unknown] : known);
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
  const wanted = new Uint8Array(codeEnd);
  for (let code = FIRST_NUMBER; code < codeEnd; code += 1) {
    const value = values[code] ?? NaN;
    if (value >= min && value <= max) wanted[code] = 1;
  }
  return { codes, wanted };
}
