import type { ExperimentData } from '../catalog/catalog.ts';
import { memberOfColumn, namesAt, summaries, unflatten } from '../flatten/flatten.ts';
import type { Cell, ColumnMember } from '../flatten/flatten.ts';
import { labelsJson, parseFlag, parseNumber } from './parse-cell.ts';
import { describe, severityOf } from '../validate/problems.ts';
import type { ProblemCode, ProblemList, RecordWarning, Severity } from '../validate/problems.ts';
import { fold } from '../reference/fold.ts';
import { findEntry, type References } from '../reference/reference.ts';
import { splitJoinedNames } from '../reference/split-joined-names.ts';
import { validateSubmission } from '../validate/validate-submission.ts';

/** An item of `experimentData`; `recordId` is the `experiment_id` of the sheet. */
export type ParsedItem = ExperimentData & { recordId?: number };

/** Formats the position of a problem: `Sheet1!C7`, or `Sheet1!7:7` for a row. */
export type CellName = (row: number, column?: number) => string;

export interface TableParts {
  readonly references: References;
  readonly problems: ProblemList;
  readonly cellName: CellName;
}

export const columnExamples: Readonly<Record<string, string>> = {
  polymer_components: '[{"name": "PCL", "weightRatio": 60, "weightRatioUnit": "%"}]',
  solvent_components: '[{"name": "DMF", "volumeRatio": 50, "volumeRatioUnit": "%"}]',
  needle_definition: '22 G',
  collector_definition: '{"rotationSpeed": 500, "rotationSpeedUnit": "rpm"}',
  process_instability: 'Whipping; Branching',
  morphology: 'Smooth; Bead',
  fiber_images: '[{"imageId": "<id of an uploaded image>"}]',
};

/** The nesting limit of submission bodies. */
const MAX_LEVELS = 20;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export class ParsedRow {
  readonly #number: number;
  /** Column positions of the cells with a value. */
  readonly #cells: ReadonlyMap<string, number>;
  /** The values of the cells that have no problem. */
  readonly #values: Record<string, Cell>;
  readonly #parts: TableParts;
  /** The source columns of derived values. */
  readonly #sources = new Map<string, string>();
  #warnings: readonly RecordWarning[] = [];

  constructor(number: number, cells: ReadonlyMap<string, number>, values: Record<string, Cell>, parts: TableParts) {
    this.#number = number;
    this.#cells = cells;
    this.#values = values;
    this.#parts = parts;
  }

  read(): ParsedItem | undefined {
    for (const column of this.#cells.keys()) {
      const columnMember = memberOfColumn(column);
      if (columnMember !== undefined) this.#readCell(column, columnMember);
    }
    const id = this.#readId();
    const joined = summaries.map((summary) => ({ ...summary, ...this.#readNames(summary) }));
    const { item } = unflatten(this.#values);
    const { problems, submission } = validateSubmission({ experimentData: [item] }, this.#parts.references, {
      userMetadata: 'optional',
      // An exported record may still have retired names.
      keepsRetired: id !== undefined,
    });
    for (const { path, code, message } of problems) this.#reportAt(path, code, message);
    const data = submission?.records[0]?.data;
    if (data === undefined) return undefined;
    this.#warnings = submission?.records[0]?.warnings ?? [];
    for (const one of joined) this.#compareNames(one, data);
    return { ...(id === undefined ? {} : { recordId: id }), ...data };
  }

  /** The warnings of the record that was read, each with the address of its cell. */
  get warnings(): (RecordWarning & { severity: Severity })[] {
    return this.#warnings.map(({ path, code, message }) => ({
      path: this.#address(this.#columnAt(path)),
      code,
      message,
      severity: severityOf(code),
    }));
  }

  #readCell(column: string, { kind, field }: ColumnMember): void {
    const cell = this.#values[column];
    switch (kind) {
      case 'quantity':
      case 'number': {
        const read = parseNumber(cell);
        if ('problem' in read) this.#drop(column, 'WRONG_TYPE', read.problem);
        else if (read.unit === undefined) this.#values[column] = read.number;
        else if (kind === 'quantity') this.#readQuantity(column, cell, read.number, read.unit);
        else this.#drop(column, 'WRONG_TYPE', `Expected a number without a unit, got ${describe(cell)}.`);
        return;
      }
      case 'labels':
        if (typeof cell === 'string') this.#values[column] = labelsJson(cell);
        this.#expectJson(column);
        return;
      case 'object':
        // Accepts a size alone, as in `22 G`.
        if ('defaultUnit' in field && field.defaultUnit !== undefined) this.#readSize(column, cell);
        this.#expectJson(column);
        return;
      case 'list':
        this.#expectJson(column);
        return;
      case 'boolean':
        this.#values[column] = parseFlag(cell) ?? cell;
        return;
      default:
        return;
    }
  }

  /** Reads a value with its unit in the same cell; reports a different unit in the unit column. */
  #readQuantity(column: string, cell: Cell, number: number, unit: string): void {
    const unitColumn = `${column}_unit`;
    const unitCell = this.#values[unitColumn];
    this.#values[column] = number;
    if (unitCell === undefined) {
      this.#values[unitColumn] = unit;
      this.#sources.set(unitColumn, column);
      return;
    }
    const resolve = (text: string): string => findEntry(this.#parts.references, 'units', text)?.unit ?? text;
    if (resolve(unit) === resolve(String(unitCell))) return;
    this.#drop(
      column,
      'CONFLICTING_MEMBERS',
      `The value ${describe(cell)} contradicts ${describe(unitCell)} in \`${unitColumn}\`; write only the number here.`,
    );
  }

  #readSize(column: string, cell: Cell): void {
    const read = parseNumber(cell);
    if ('number' in read && read.unit !== undefined) {
      this.#values[column] = JSON.stringify({ size: read.number, unit: read.unit });
    }
  }

  #expectJson(column: string): void {
    const cell = this.#values[column];
    try {
      const value: unknown = JSON.parse(String(cell));
      if (isDeeper(value, MAX_LEVELS)) {
        this.#drop(column, 'TOO_DEEP', `Expected at most ${MAX_LEVELS} levels of nesting.`);
        return;
      }
      if (typeof value === 'object' && value !== null) return;
    } catch {
      // Reported below.
    }
    this.#drop(
      column,
      'INVALID_FORMAT',
      `Expected a value such as ${columnExamples[column] ?? '{}'}, got ${describe(cell)}.`,
    );
  }

  #readId(): number | undefined {
    const cell = this.#values['experiment_id'];
    if (cell === undefined) return undefined;
    const id = typeof cell === 'string' && /^\d{1,15}$/.test(cell.trim()) ? Number(cell) : cell;
    if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return id;
    this.#drop(
      'experiment_id',
      'INVALID_FORMAT',
      `Expected a record id (a whole number from 1), got ${describe(cell)}; leave it empty for a new record.`,
    );
    return undefined;
  }

  /** Reads the blend and name columns; fills an empty component column from the names. */
  #readNames({ list, components, isBlend, names }: (typeof summaries)[number]): {
    blend: boolean | undefined;
    text: string | undefined;
  } {
    const flag = this.#values[isBlend];
    const blend = flag === undefined ? undefined : parseFlag(flag);
    if (flag !== undefined && blend === undefined)
      this.#drop(isBlend, 'WRONG_TYPE', `Expected true or false, got ${describe(flag)}.`);
    const joined = this.#values[names];
    if (joined === undefined) return { blend, text: undefined };
    const text = String(joined).trim();
    if (this.#cells.has(components)) return { blend, text };
    const split = splitJoinedNames(text, list, this.#parts.references, blend);
    if (split === undefined) {
      this.#drop(
        names,
        'AMBIGUOUS_NAME',
        `The text ${describe(text)} can be split into names in more than one way; write \`${components}\` as ${columnExamples[components] ?? 'JSON'}.`,
      );
    } else {
      this.#values[components] = JSON.stringify(split.map((name) => ({ name })));
      this.#sources.set(components, names);
    }
    return { blend, text: undefined };
  }

  /** Reports contradictions between the components and their summary columns: one of them was edited. */
  #compareNames(
    summary: (typeof summaries)[number] & { blend: boolean | undefined; text: string | undefined },
    data: ExperimentData,
  ): void {
    const { list, components, isBlend, names, blend, text } = summary;
    const member = memberOfColumn(components);
    const has = (member && namesAt(data, member)) ?? [];
    if (text !== undefined && fold(text) !== fold(has.join('-'))) {
      const { references } = this.#parts;
      const own = splitJoinedNames(text, list, references, has.length > 1)?.map(
        (name) => findEntry(references, list, name)?.name ?? name,
      );
      if (own?.join('-') !== has.join('-')) {
        this.#report(
          names,
          'CONFLICTING_MEMBERS',
          `The text ${describe(text)} contradicts \`${components}\`, which names ${describe(has.join('-'))}; change both, or leave this cell empty.`,
        );
      }
    }
    if (blend !== undefined && has.length > 0 && blend !== has.length > 1) {
      this.#report(
        isBlend,
        'CONFLICTING_MEMBERS',
        `The value ${String(blend)} contradicts the number of names (${has.length}); leave this cell empty.`,
      );
    }
  }

  #drop(column: string, code: ProblemCode, message: string): void {
    Reflect.deleteProperty(this.#values, column);
    this.#report(column, code, message);
  }

  #report(column: string, code: ProblemCode, message: string): void {
    this.#parts.problems.add(this.#address(column), code, () => `\`${column}\`: ${message}`);
  }

  #reportAt(path: string, code: ProblemCode, message: string): void {
    const source = this.#columnAt(path.replace(/^experimentData\[0\]\.?/, ''));
    if (source === undefined) this.#parts.problems.add(this.#address(), code, () => message);
    else this.#report(source, code, message);
  }

  /** Returns the address of the cell of a column, or of the row. */
  #address(column = ''): string {
    return this.#parts.cellName(this.#number, this.#cells.get(column));
  }

  /** Returns the column of the cell that a path in the record comes from. */
  #columnAt(path: string): string | undefined {
    const column = [...this.#cells.keys(), ...this.#sources.keys()].find((one) => {
      const columnMember = memberOfColumn(one);
      if (columnMember === undefined) return false;
      const own =
        columnMember.group === undefined ? columnMember.member : `${columnMember.group}.${columnMember.member}`;
      return path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`);
    });
    return column === undefined ? undefined : (this.#sources.get(column) ?? column);
  }
}
