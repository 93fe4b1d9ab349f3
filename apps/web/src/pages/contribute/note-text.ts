import type { SheetNote } from '@esd/record/sheet/sheet-reading';

const ADDED: Readonly<Partial<Record<SheetNote['kind'], string>>> = {
  'tolerance-dropped': ' The tolerance is left out.',
  'ratio-basis': ' The sheet states no unit of the ratio.',
  'share-alone': ' The share of the rest is not stated.',
  count: ' The number after n is the number of measured fibers.',
  'name-detail': ' The rest of the text is left out.',
  'plus-minus': ' The second number is the variation.',
  merged: ' The cells are merged.',
  footnote: ' The footnote mark is left out.',
  'format-unit': ' The unit is part of the number format.',
  'format-scaled': ' The number format shows another text.',
  'unit-of-diameter': ' The unit is that of the diameter.',
};

/** Returns what a cell is read as. */
export const readsText = ({ reads }: Pick<SheetNote, 'reads'>): string => (reads === '' ? 'empty' : reads);

/** Returns a sentence about the reading of a cell; `cells` counts the cells of which it is an example. */
export function noteText(note: SheetNote, cells = ''): string {
  return `Read ${note.text} as ${readsText(note)}${cells}.${ADDED[note.kind] ?? ''}`;
}
