import type { UnitEntry } from '../reference/reference.ts';
import type { ParsedItem } from './parse-row.ts';
import type { RecordWarning, Severity, ValidationProblem } from '../validate/problems.ts';

/** The readings of a cell among which the user chooses, by kind. */
export const repairChoices = {
  mark: ['decimal', 'thousands'],
  bracket: ['variation', 'ignore', 'empty'],
  range: ['low', 'middle', 'high', 'average', 'empty'],
  bound: ['value', 'empty'],
  footnote: ['value', 'empty'],
  power: ['power', 'base', 'empty'],
  struck: ['value', 'without', 'with', 'empty'],
  word: ['empty'],
  needle: ['gauge', 'mm'],
  'needle-mm': ['mm', 'empty'],
  flag: ['yes', 'no', 'empty'],
  'blank-name': ['fill-down'],
  ditto: ['above', 'empty'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type RepairKind = keyof typeof repairChoices;

/** A chosen reading of a cell is listed under the kind of its choice, as is one that needs no choice (`1.5×10³`). */
export type NoteKind =
  | 'decimal-comma'
  | 'thousands'
  | 'approximate'
  | 'plus-minus'
  | 'tolerance-dropped'
  | 'empty-word'
  | 'flag-word'
  | 'ratio-basis'
  | 'share-alone'
  | 'molecular-weight'
  | 'merged'
  | 'count'
  | 'name-detail'
  | 'percent-format'
  | 'format-unit'
  | 'format-scaled'
  | 'comment'
  | 'assumed-unit'
  | 'heading-words'
  | 'unit-of-diameter'
  | RepairKind;

/** A cell that was read as something else than its plain text; an absent value reads "". */
export interface SheetNote {
  readonly path: string;
  readonly kind: NoteKind;
  readonly text: string;
  readonly reads: string;
}

/** The cells of a column for which the user can choose one of several readings. */
export interface SheetRepair {
  readonly kind: RepairKind;
  /** The letters of the column; in a transposed sheet, the number of the row. */
  readonly at: string;
  readonly cells: readonly string[];
  readonly choices: readonly string[];
}

export interface ReadColumn {
  readonly at: string;
  /** As written. */
  readonly heading: string;
  readonly unit: string | null;
  readonly state: 'read' | 'ask' | 'left-out';
  readonly reads: string | null;
  readonly candidates: readonly string[];
  /** The units for a column that asks for one; otherwise empty. */
  readonly choices: readonly string[];
  readonly reason: string | null;
}

/** A column while the sheet is read. */
export interface PlacedColumn extends ReadColumn {
  /** The position in the sheet, from 0. */
  readonly index: number;
  readonly unitEntry: UnitEntry | undefined;
  /** The heading without the footnote marks that were dropped. */
  readonly unmarked: string | undefined;
}

export interface ReadRow {
  readonly row: number;
  readonly state: 'ready' | 'error' | 'left-out';
  readonly reason: string | null;
  readonly item: ParsedItem | null;
  readonly errors: readonly ValidationProblem[];
  readonly warnings: readonly SheetWarning[];
}

export interface SheetWarning extends RecordWarning {
  readonly severity: Severity;
}

export type DecimalMark = '.' | ',';
export type Separator = ',' | ';' | '\t';

/** The file of a sheet; `sheet` and `sheets` are those of a workbook. */
export interface SheetFile {
  readonly kind: 'xlsx' | 'csv';
  readonly sheet: string | null;
  readonly sheets: readonly string[];
  readonly encoding?: 'utf-8' | 'utf-16' | 'windows-1252';
  readonly separator?: Separator;
}

/** The reading of a sheet; the response of `POST /data/parse-excel?headings=guess`. */
export interface SheetReading {
  readonly file: SheetFile & { readonly decimalMark: DecimalMark | null };
  readonly orientation: 'rows' | 'columns';
  readonly headingRow: number;
  readonly unitRow: number | null;
  /** All tables of the sheet from the top, with the number of their filled rows below headings and units. */
  readonly tables: readonly { readonly headingRow: number; readonly rows: number }[];
  readonly columns: readonly ReadColumn[];
  readonly rows: readonly ReadRow[];
  readonly notes: readonly SheetNote[];
  readonly repairs: readonly SheetRepair[];
  readonly counts: { readonly rows: number; readonly ready: number; readonly errors: number; readonly leftOut: number };
  /** The number of all errors, of which `rows` lists at most 1,000. */
  readonly errorCount: number;
  /** Whether no column has the state `ask`. */
  readonly settled: boolean;
}
