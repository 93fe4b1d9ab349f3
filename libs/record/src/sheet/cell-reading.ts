import type { Cell } from '../flatten/flatten.ts';
import type { UnitEntry } from '../reference/reference.ts';
import { convert } from '../units/units.ts';
import { type ProblemCode, type ReadingChoice, shorten } from '../validate/problems.ts';
import type { NoteKind, RepairKind } from './sheet-reading.ts';

/** A number with its unit, such as the spread of a mean. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
}

export interface ValueReading {
  readonly kind: 'value';
  /** Undefined for an absent value. */
  readonly value: Cell;
  readonly reads: string;
  readonly notes: readonly NoteKind[];
  readonly spread?: Quantity;
  /** The number of measured fibers. */
  readonly count?: number;
}

/** A reading that the user can choose. */
export interface CellChoice extends ReadingChoice {
  readonly result: CellReading;
}

export interface ErrorReading {
  readonly kind: 'error';
  readonly code: ProblemCode;
  readonly message: string;
  readonly repair?: RepairKind;
  /** A choice without a result is another text for the cell. */
  readonly choices?: readonly (ReadingChoice & Partial<CellChoice>)[];
}

/** The reading of a cell: one value, none, several to choose from, or an error. */
export type CellReading =
  | ValueReading
  | { readonly kind: 'several'; readonly repair: RepairKind; readonly choices: readonly CellChoice[] }
  | ErrorReading;

export const readAs = (value: Cell, reads: string, ...notes: NoteKind[]): ValueReading => ({
  kind: 'value',
  value,
  reads,
  notes,
});
export const failed = (code: ProblemCode, message: string): ErrorReading => ({ kind: 'error', code, message });
export const several = (repair: RepairKind, ...choices: CellChoice[]): CellReading => ({
  kind: 'several',
  repair,
  choices,
});
export const choiceOf = (choice: string, result: CellReading): CellChoice => ({
  choice,
  reads: shorten(readsOf(result)),
  result,
});

export const ABSENT = readAs(undefined, '');
export const EMPTY_CHOICE: CellChoice = { choice: 'empty', reads: '', result: ABSENT };

export function readsOf(reading: CellReading): string {
  if (reading.kind === 'value') return reading.reads;
  return reading.kind === 'several'
    ? reading.choices.flatMap(({ reads }) => (reads === '' ? [] : [reads])).join(' or ')
    : '';
}

/** Changes each value that a reading can give. */
export function mapValues(reading: CellReading, change: (value: ValueReading) => CellReading): CellReading {
  if (reading.kind === 'value') return change(reading);
  if (reading.kind === 'error') return reading;
  const choices = reading.choices.map((option) =>
    option.result === ABSENT ? option : { ...option, result: mapValues(option.result, change) },
  );
  return { ...reading, choices };
}

/** Adds notes before those of each value that a reading can give. */
export function addNotes(reading: CellReading, ...notes: NoteKind[]): CellReading {
  return notes.length === 0
    ? reading
    : mapValues(reading, (value) => ({ ...value, notes: [...notes, ...value.notes] }));
}

/** Returns the number and the unit of a value such as `89 kDa`; a number has no unit. */
export function quantityIn(value: Cell): Quantity {
  const [, number = '', unit = ''] = /^(\S+)(?: (.+))?$/.exec(String(value)) ?? [];
  return { value: Number(number), unit };
}

/** Returns whether two values are equal, also in different units. Without a unit, only the numbers count. */
export function isSameQuantity(a: Cell, b: Cell, unitOf: (text: string) => UnitEntry | undefined): boolean {
  const [first, second] = [quantityIn(a), quantityIn(b)];
  if (first.unit === '' || second.unit === '') return first.value === second.value;
  const [from, to] = [unitOf(first.unit), unitOf(second.unit)];
  return from !== undefined && to !== undefined && convert(first.value, from, to) === second.value;
}
