import type { Cell, summaries } from '../flatten/flatten.ts';
import type { References, UnitEntry } from '../reference/reference.ts';
import { describe } from '../validate/problems.ts';
import { type CellReading, isSameQuantity, quantityIn, readAs } from './cell-reading.ts';
import { MOLECULAR_WEIGHT } from './column-dimensions.ts';
import type { TableCell } from './parse-cell.ts';
import type { CellColumn } from './read-cell.ts';
import { componentsReader } from './read-components.ts';
import { readFormatted, readMarked, readUnmarked } from './read-formatted-cell.ts';
import { molecularWeightIn } from './read-molecular-weight.ts';
import { readShares, type Shares } from './read-shares.ts';
import { readInRow, type RowToRead } from './rows-to-read.ts';
import type { DecimalMark } from './sheet-reading.ts';
import { type Place, type PlacedCell, placedCells, type SheetReport } from './sheet-report.ts';

const WEIGHTS: readonly string[] = ['mass', 'mass_fraction', 'mass_ratio'];

/** The values of a row that become an item, with the positions of their cells. */
export interface RowValues {
  readonly row: RowToRead;
  readonly cells: Map<string, number>;
  readonly values: Record<string, Cell>;
}

/** The parts that the readers of a sheet share. */
export interface ReaderParts {
  readonly columns: readonly CellColumn[];
  /** The readers of single cells, by the position of their column. */
  readonly readers: ReadonlyMap<number, (cell: TableCell) => CellReading>;
  readonly references: References;
  readonly report: SheetReport;
  readonly mark: DecimalMark | undefined;
  readonly unitOf: (text: string) => UnitEntry | undefined;
}

type PlacedShares = Shares & Place;

interface PlacedNames {
  readonly names: readonly string[];
  /** The details of the names, each with its cell. */
  readonly details: readonly (readonly [detail: string | undefined, place: Place])[];
  readonly shares: PlacedShares | undefined;
}

/** Reads the names, shares, and molecular weights of polymers or solvents into components. */
export class ComponentReader {
  /** The cells of the last row that names a component, for `fill-down`. */
  above: readonly Place[] | undefined;
  readonly #summary: (typeof summaries)[number];
  readonly #parts: ReaderParts;
  readonly #namesIn: ReturnType<typeof componentsReader>;
  readonly #nameColumn: CellColumn | undefined;

  constructor(summary: (typeof summaries)[number], parts: ReaderParts) {
    this.#summary = summary;
    this.#parts = parts;
    this.#namesIn = componentsReader(summary.list, parts.references);
    this.#nameColumn = parts.columns.find(({ column }) => column === summary.names);
  }

  /** Whether a column has names. */
  get hasNames(): boolean {
    return this.#nameColumn !== undefined;
  }

  /**
   * Reads the names and shares of a row into its components. Returns whether a name is missing or has an error, so that
   * it is not reported again.
   */
  read({ row, cells, values }: RowValues): boolean {
    const { list, names, components } = this.#summary;
    const { report, unitOf } = this.#parts;
    const before = report.problems.count;
    const hasError = (): boolean => report.problems.count > before;
    const nameCells = this.#cellsOf(row, names);
    let named: readonly Place[] = nameCells.flatMap((place) => {
      const text = this.#textOf(place, true);
      return text === undefined ? [] : [{ ...place, text }];
    });
    const [written] = this.#cellsOf(row, components);
    const shareCell = written && { ...written, text: written.text.trim() };
    if (shareCell?.text.startsWith('[') === true) {
      const hasNameError = hasError();
      this.#takeJson({ row, cells, values }, shareCell, named);
      return hasNameError;
    }
    if (named.length > 0) this.above = named;
    else if (nameCells.length === 0 && this.#nameColumn !== undefined) named = this.#fillDown(row, this.#nameColumn);
    const read = hasError() ? undefined : this.#readNames(named);
    if (read === undefined) return true;
    const shares = this.#sharesOf(shareCell, read.shares);
    if (hasError()) return true;
    if (shares !== undefined && shares.values.length !== read.names.length) {
      const message = `${shares.values.length} shares do not match ${read.names.length} names; write one share for each name.`;
      report.fail(shares, 'INVALID_FORMAT', message);
      return true;
    }
    const [first] = named;
    if (first === undefined) {
      if (list === 'polymers') report.failMissing(row, list, this.#nameColumn);
      return list === 'polymers';
    }
    const weights = this.#weightsOf(row, read);
    if (hasError()) return true;
    const isInNames = shares?.column === names;
    const isAlone = isInNames && shares.values.length === 1;
    if (shares !== undefined && (isAlone || shares.unit === undefined || (isInNames && shares.unit === '%'))) {
      const reads = read.names.map((name, at) => `${name} ${shares.values[at] ?? ''}`.trim()).join(', ');
      report.note(shares, isAlone ? 'share-alone' : 'ratio-basis', reads);
    }
    const isWeight = WEIGHTS.includes(unitOf(shares?.unit ?? '')?.dimension ?? '');
    const member = list === 'polymers' ? 'weightRatio' : isWeight ? 'weight' : 'volumeRatio';
    cells.set(components, shares?.at ?? first.at);
    values[components] = JSON.stringify(
      read.names.map((name, at) => {
        const share = shares?.values[at];
        const ratio = share === undefined ? {} : { [member]: share, [`${member}Unit`]: shares?.unit };
        return { name, ...ratio, ...weights[at] };
      }),
    );
    return false;
  }

  #cellsOf(row: RowToRead, name: string): PlacedCell[] {
    return placedCells(row, this.#parts.columns, name);
  }

  #weightCell(row: RowToRead): PlacedCell | undefined {
    return this.#summary.list === 'polymers' ? this.#cellsOf(row, MOLECULAR_WEIGHT)[0] : undefined;
  }

  /** Reads the text of names or shares; undefined for an absent text or a reported problem. */
  #textOf({ cell, ...place }: PlacedCell, isName: boolean): string | undefined {
    const reading = readInRow(place.row, [place.at, cell], (formatted) =>
      readFormatted(formatted, isName, ({ text }) =>
        isName ? readUnmarked(text, (plain) => readAs(plain, plain)) : readMarked(text),
      ),
    );
    const settled = this.#parts.report.settle(place, reading);
    return settled && String(settled.value);
  }

  /** Takes the JSON of components, which ParsedRow reads. */
  #takeJson({ row, cells, values }: RowValues, { at, text }: Place, [name, ...others]: readonly Place[]): void {
    const { names, components } = this.#summary;
    const weight = this.#weightCell(row);
    if (weight !== undefined) {
      const message = `The molecular weight belongs to \`${components}\`, which this row has; leave this cell empty.`;
      this.#parts.report.fail(weight, 'CONFLICTING_MEMBERS', message);
    }
    cells.set(components, at);
    values[components] = text;
    if (name === undefined || others.length > 0) return;
    cells.set(names, name.at);
    values[names] = name.text;
  }

  /** Offers the names of the row above in the place of a missing name; empty if they are not accepted. */
  #fillDown(row: RowToRead, { at, column }: CellColumn): readonly Place[] {
    const { report } = this.#parts;
    if (this.above === undefined) {
      report.failMissing(row, this.#summary.list, { at, column });
      return [];
    }
    const reads = this.above.map(({ text }) => text).join(', ');
    const filled = report.settle(
      { row, at, column, text: '' },
      {
        kind: 'error',
        code: 'MISSING_VALUE',
        message: `The name is missing; the row above has ${describe(reads)}.`,
        repair: 'blank-name',
        choices: [{ choice: 'fill-down', reads, result: readAs(reads, reads) }],
      },
    );
    return filled === undefined ? [] : this.above.map((place) => ({ ...place, row }));
  }

  /** Reads the names in the cells of a row; undefined for a reported problem. */
  #readNames(named: readonly Place[]): PlacedNames | undefined {
    const names: string[] = [];
    const details: (readonly [string | undefined, Place])[] = [];
    let shares: PlacedShares | undefined;
    for (const nameCell of named) {
      const reading = this.#namesIn(nameCell.text, named.length === 1);
      if (reading.kind === 'error') {
        this.#parts.report.settle(nameCell, reading);
        return undefined;
      }
      if (reading.shares !== undefined) shares = { ...reading.shares, ...nameCell };
      names.push(...reading.names);
      details.push(...reading.names.map((_, at) => [reading.details[at], nameCell] as const));
    }
    return { names, details, shares };
  }

  /** Reads the column of shares; those in the cell of the names have to agree with it. */
  #sharesOf(cell: PlacedCell | undefined, inNames: PlacedShares | undefined): PlacedShares | undefined {
    const { report, columns } = this.#parts;
    const text = cell && this.#textOf(cell, false);
    if (cell === undefined || text === undefined) return inNames;
    const shares = readShares(text);
    if (shares === undefined) {
      report.fail(cell, 'INVALID_FORMAT', `Expected shares such as 3:1, got ${describe(cell.text)}.`);
      return undefined;
    }
    if (inNames !== undefined && inNames.values.join(':') !== shares.values.join(':')) {
      const message = `The shares ${describe(cell.text)} contradict ${describe(inNames.text)}; leave one of them out.`;
      report.fail(cell, 'CONFLICTING_MEMBERS', message);
      return undefined;
    }
    const headingUnit = columns.find(({ at }) => at === cell.at)?.unit?.unit;
    return { ...cell, values: shares.values, unit: shares.unit ?? headingUnit ?? inNames?.unit };
  }

  /** Reads the molecular weights in the details of names and in their own column; notes the other details. */
  #weightsOf(row: RowToRead, { names, details }: PlacedNames): readonly object[] {
    const { report, readers, mark, unitOf } = this.#parts;
    const stated = details.map(([detail, place], at): Cell => {
      if (detail === undefined) return undefined;
      const weight = this.#summary.list === 'polymers' ? molecularWeightIn(detail, { mark, unitOf }) : undefined;
      if (weight?.isAll !== true) report.note(place, 'name-detail', names[at] ?? '');
      return weight && report.settle(place, weight.reading)?.value;
    });
    const cell = this.#weightCell(row);
    const reader = cell && readers.get(cell.at);
    const value = reader && report.settle(cell, readInRow(row, [cell.at, cell.cell], reader))?.value;
    if (cell !== undefined && value !== undefined) {
      const [inName] = stated;
      if (names.length > 1) {
        const message = `The molecular weight ${describe(cell.text)} does not state its polymer; write it behind the name, as in PVA (89 kDa).`;
        report.fail(cell, 'INVALID_FORMAT', message);
      } else if (inName !== undefined && !isSameQuantity(inName, value, unitOf)) {
        report.failConflict(cell, 'molecular weight', cell.text, describe(inName));
      } else stated[0] = value;
    }
    return stated.map((weight) => {
      if (weight === undefined) return {};
      const { value: molecularWeight, unit: molecularWeightUnit } = quantityIn(weight);
      return { molecularWeight, molecularWeightUnit };
    });
  }
}
