import { type Fields, type HeadingWords, recordFields } from './catalog.ts';

/** Words for a flattened column. */
export interface ColumnWords extends HeadingWords {
  readonly column: string;
}

function* wordsIn(fields: Fields): Generator<ColumnWords> {
  for (const field of Object.values(fields)) {
    for (const words of field.headings ?? []) if (field.column !== undefined) yield { column: field.column, ...words };
    if (field.kind === 'group' || field.kind === 'list') yield* wordsIn(field.fields);
  }
}

export const headingWords: readonly ColumnWords[] = [
  {
    column: 'polymer(s)',
    synonyms: ['polymer', 'polymers', 'polymer type', 'polymer name', 'material', 'polymer blend'],
  },
  { column: 'solvent(s)', synonyms: ['solvent', 'solvents', 'solvent system', 'solvent name', 'solvent mixture'] },
  ...wordsIn(recordFields),
];

/** Headings of sheets that no field of a record describes. */
export const ignoredHeadings: readonly string[] = [
  'no',
  'nr',
  '#',
  'id',
  'run',
  'batch',
  'row',
  'date',
  'operator',
  'comment',
  'comments',
  'note',
  'notes',
  'file',
  'image',
];
