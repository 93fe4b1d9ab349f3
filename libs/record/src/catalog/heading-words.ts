import { type Fields, type HeadingWords, recordFields } from './catalog.ts';

/** Words for a flattened column. */
export interface ColumnWords extends HeadingWords {
  readonly column: string;
}

function* wordsIn(fields: Fields): Generator<ColumnWords> {
  for (const field of Object.values(fields)) {
    const { column = field.sheetColumn, otherHeadings: others } = field;
    for (const words of field.headings ?? []) if (column !== undefined) yield { column, ...words };
    if (column !== undefined && others !== undefined) yield { column, synonyms: others.split(', ') };
    if (field.kind === 'group' || field.kind === 'list') yield* wordsIn(field.fields);
  }
}

export const headingWords: readonly ColumnWords[] = [
  {
    column: 'polymer(s)',
    synonyms: ['polymer', 'polymers', 'polymer type', 'polymer name', 'material', 'polymer blend'],
  },
  { column: 'solvent(s)', synonyms: ['solvent', 'solvents', 'solvent system', 'solvent name', 'solvent mixture'] },
  { column: 'polymer(s)', synonyms: ['polymere', '聚合物', '高分子', '材料'] },
  { column: 'solvent(s)', synonyms: ['lösungsmittel', 'lösemittel', '溶剂'] },
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
  'long name',
  'parameter',
  'ref',
  'references',
  'author',
  'authors',
  'year',
  'label',
  'area',
  'angle',
  'min',
  'max',
  'median',
];

const SOLUTION = ['polymerProperty', 'solventProperty', 'solutionProperty'];
const FIBER = ['fiberProperty', 'mechanicalProperty', 'functionalProperty'];
const NEEDLE = ['needleProperty'];
const COLLECTOR = ['collectorProperty'];

/** The parts of the process that a heading can name in addition to its field, with the groups of their fields. */
export const headingParts: Readonly<Record<string, readonly string[]>> = {
  polymer: SOLUTION,
  solvent: SOLUTION,
  solution: SOLUTION,
  lösung: SOLUTION,
  溶液: SOLUTION,
  fiber: FIBER,
  faser: FIBER,
  纤维: FIBER,
  needle: NEEDLE,
  nadel: NEEDLE,
  针头: NEEDLE,
  collector: COLLECTOR,
  kollektor: COLLECTOR,
  收集器: COLLECTOR,
};

/** Words of a heading that say something about the values. They are no units. */
export const headingQualifiers: readonly string[] =
  'mean average avg median applied set nominal actual measured ambient room chamber total approx optional sd se sem by of the mittel mittelwert mittlerer mittlere mittleres 平均'.split(
    ' ',
  );
