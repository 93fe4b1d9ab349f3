import { describe, type ProblemCode, ProblemList, shorten } from '../validate/problems.ts';
import type { CellReading, ValueReading } from './cell-reading.ts';
import { plainCell, type TableCell } from './parse-cell.ts';
import { isBlank, type OrientedSheet } from './sheet-grid.ts';
import { repairKey, type SheetOptions } from './sheet-options.ts';
import { type NoteKind, repairChoices, type RepairKind, type SheetNote, type SheetRepair } from './sheet-reading.ts';
import type { RowToRead } from './rows-to-read.ts';
import { shownText } from './unreadable-cell.ts';

/** A cell of a column that is read. */
export interface Place {
  readonly row: RowToRead;
  readonly at: number;
  /** The flattened column. */
  readonly column: string;
  /** As written. */
  readonly text: string;
}

/** A filled cell. */
export interface PlacedCell extends Place {
  readonly cell: TableCell;
}

/** Returns the cell of a column in a row; undefined if it is empty. */
export function placedCell(row: RowToRead, { at, column }: Pick<Place, 'at' | 'column'>): PlacedCell | undefined {
  const cell = row.cells.get(at);
  return cell === undefined || isBlank(cell) ? undefined : { row, at, column, text: writtenText(cell), cell };
}

/** Returns the filled cells of a row in the columns with a name. */
export function placedCells(
  row: RowToRead,
  columns: readonly Pick<Place, 'at' | 'column'>[],
  name: string,
): PlacedCell[] {
  return columns.flatMap((column) => (column.column === name ? (placedCell(row, column) ?? []) : []));
}

/** Returns the text of a cell as written. */
export function writtenText(cell: TableCell): string {
  return typeof plainCell(cell) === 'object' ? '' : shownText(cell);
}

/** The problems, notes, and repairs of a sheet. */
export class SheetReport {
  readonly notes: SheetNote[] = [];
  readonly problems = new ProblemList();
  readonly #repairs = new Map<string, SheetRepair & { cells: string[] }>();
  readonly #sheet: OrientedSheet;
  readonly #options: SheetOptions;

  constructor(sheet: OrientedSheet, options: SheetOptions) {
    this.#sheet = sheet;
    this.#options = options;
  }

  get repairs(): SheetRepair[] {
    return [...this.#repairs.values()];
  }

  note({ row, at, text }: Place, kind: NoteKind, reads: string): void {
    const path = this.#sheet.address(row.number, at);
    this.notes.push({ path, kind, text: shorten(text), reads: shorten(reads) });
  }

  fail({ row, at, column, text }: Place, code: ProblemCode, message: string): void {
    this.#add(row, at, code, `\`${column}\`: ${message}`, { text: shorten(text) });
  }

  /** Reports the conflict of a cell with another value of its row. */
  failConflict(place: Place, what: string, value: unknown, other: string): void {
    const message = `The ${what} ${describe(value)} contradicts ${other}; leave one of them out.`;
    this.fail(place, 'CONFLICTING_MEMBERS', message);
  }

  /** Reports that a row lacks a polymer or a solvent. */
  failMissing(row: RowToRead, list: 'polymers' | 'solvents', place: Partial<Place> = {}): void {
    const message = `Name the ${list.slice(0, -1)}.`;
    const { at, column } = place;
    this.#add(row, at, 'MISSING_VALUE', column === undefined ? message : `\`${column}\`: ${message}`);
  }

  #add(row: RowToRead, at: number | undefined, code: ProblemCode, message: string, offer?: Offer): void {
    this.problems.add(
      () => this.#sheet.address(row.number, at),
      code,
      () => message,
      offer,
    );
  }

  /**
   * Applies the choices of the user to the reading of a cell. Returns a value, or undefined for an absent value or a
   * reported problem.
   */
  settle(place: Place, reading: CellReading): ValueReading | undefined {
    let settled = reading;
    while (settled.kind !== 'value') {
      const { repair, choices = [] } = settled;
      const accepted = repair && this.#accepted(repair, place.at);
      const choice = choices.find((option) => option.choice === accepted);
      if (repair === undefined || choice?.result === undefined) {
        this.#reportOpen(place, settled);
        return undefined;
      }
      this.note(place, repair, choice.reads);
      settled = choice.result;
    }
    for (const kind of settled.notes) this.note(place, kind, settled.reads);
    if (settled.value === undefined) return undefined;
    if (place.row.merged?.has(place.at) === true) this.note(place, 'merged', settled.reads);
    return settled;
  }

  #accepted(kind: RepairKind, at: number): string | undefined {
    const { accept, acceptAt } = this.#options;
    return acceptAt?.get(repairKey(kind, this.#sheet.columnName(at))) ?? accept.get(kind);
  }

  /** Reports an error or several readings, and lists the repair. */
  #reportOpen({ row, at, column, text }: Place, reading: Exclude<CellReading, ValueReading>): void {
    const choices = (reading.choices ?? []).map(({ choice, reads }) => ({ choice, reads }));
    const { repair } = reading;
    const ways = choices.map(({ choice, reads }) => (reads === '' ? choice : `${choice} (${reads})`)).join(', ');
    const message =
      reading.kind === 'error'
        ? reading.message
        : `The cell ${describe(text)} has several readings: ${ways}. Choose one.`;
    this.#add(row, at, reading.kind === 'error' ? reading.code : 'SEVERAL_READINGS', `\`${column}\`: ${message}`, {
      ...(repair === undefined ? {} : { kind: repair }),
      text: shorten(text),
      ...(choices.length === 0 ? {} : { choices }),
    });
    if (repair === undefined) return;
    const key = `${repair} ${at}`;
    const names = choices.map(({ choice }) => choice);
    const { cells = [], choices: earlierNames = names } = this.#repairs.get(key) ?? {};
    cells.push(this.#sheet.cellName(row.number, at));
    // The cells of one kind can have different choices.
    const all = repairChoices[repair].filter((choice) => [...earlierNames, ...names].includes(choice));
    this.#repairs.set(key, { kind: repair, at: this.#sheet.columnName(at), cells, choices: all });
  }
}

type Offer = Parameters<ProblemList['add']>[3];
