import { guessedColumns } from '@esd/record/sheet/column-dimensions';
import type { ReadColumn } from '@esd/record/sheet/sheet-reading';
import { storedTexts, storeText } from '../client/stored-text.ts';

const KEY = 'esd-headings';
const MAX_CHOICES = 500;
const LEFT_OUT = '';

/** Reads the choices for headings of earlier sheets: columns, or null for a heading that was left out. */
export function headingChoices(): ReadonlyMap<string, string | null> {
  const stored = Object.entries(storedTexts(KEY));
  return new Map(
    stored.flatMap(([heading, column]): [string, string | null][] => {
      if (column === LEFT_OUT) return [[heading, null]];
      return guessedColumns.includes(column) ? [[heading, column]] : [];
    }),
  );
}

/** Returns the name under which the choice for a column is stored: its heading, with a number if it is repeated. */
export function choiceName({ at, heading }: ReadColumn, columns: readonly ReadColumn[]): string {
  const count = columns.filter((column) => column.heading === heading).findIndex((column) => column.at === at);
  return count > 0 ? `${heading} (${count + 1})` : heading;
}

/** Stores a choice for a heading that has a name. The oldest choices are dropped. */
export function rememberHeading(heading: string, column: string | null): void {
  // Columns without a heading are numbered.
  if (!/[^\d()\s]/.test(heading)) return;
  const { [heading]: _, ...others } = storedTexts(KEY);
  const entries = [...Object.entries(others), [heading, column ?? LEFT_OUT]];
  storeText(KEY, JSON.stringify(Object.fromEntries(entries.slice(-MAX_CHOICES))));
}
