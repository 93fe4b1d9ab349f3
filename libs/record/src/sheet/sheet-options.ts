import { guessedColumns } from './column-dimensions.ts';
import { nearestName } from '../filter/nearest-filter-key.ts';
import { describe } from '../validate/problems.ts';
import { isObject } from '../validate/is-object.ts';
import { repairChoices, type RepairKind } from './sheet-reading.ts';

/** The choices of a user for a sheet. */
export interface SheetOptions {
  /** The flattened column of a heading as written, or of a column such as `@C`; `null` leaves the column out. */
  readonly columns: ReadonlyMap<string, string | null>;
  /** The unit of a heading as written, or of `@C` for the column C. */
  readonly units?: ReadonlyMap<string, string>;
  readonly accept: ReadonlyMap<RepairKind, string>;
  /** The choices for single columns, by `repairKey`; they have precedence over `accept`. */
  readonly acceptAt?: ReadonlyMap<string, string>;
  /** The rows that are read although they look like no experiment. */
  readonly include: ReadonlySet<number>;
  /** The rows that are left out. */
  readonly exclude: ReadonlySet<number>;
  /** The number of the row with the headings; experiments are then rows. */
  readonly headingRow?: number | undefined;
  /** The table to read, from 1; by default the first one. */
  readonly table?: number | undefined;
}

/** Returns the key of the cells of a column that have the same kind of repair; `at` is that of the repair. */
export const repairKey = (kind: RepairKind, at: string): string => `${kind} ${at}`;

export const NO_OPTIONS: SheetOptions = {
  columns: new Map(),
  accept: new Map(),
  include: new Set(),
  exclude: new Set(),
};

/** An invalid parameter, with its message. */
export interface InvalidOption {
  readonly kind: 'invalid-option';
  readonly message: string;
}

/** The parameters of a request as texts. */
export interface OptionTexts {
  /** A JSON object. */
  readonly columns?: string | undefined;
  /** A JSON object. */
  readonly units?: string | undefined;
  /** Comma-separated pairs `kind:choice`. */
  readonly accept?: string | undefined;
  /** Comma-separated numbers of rows. */
  readonly include?: string | undefined;
  readonly exclude?: string | undefined;
  readonly headingRow?: string | undefined;
  readonly table?: string | undefined;
}

export const invalidOption = (message: string): InvalidOption => ({ kind: 'invalid-option', message });

/** Parses the choices of a request. Headings and rows are checked against the sheet when it is read. */
export function parseSheetOptions(texts: OptionTexts): SheetOptions | InvalidOption {
  const chosen = parseColumns(texts.columns);
  const units = parseUnits(texts.units);
  const accepted = parseAccept(texts.accept);
  const included = parseRows('include', texts.include);
  const excluded = parseRows('exclude', texts.exclude);
  if ('message' in chosen) return chosen;
  if ('message' in units) return units;
  if ('message' in accepted) return accepted;
  if ('message' in included) return included;
  if ('message' in excluded) return excluded;
  const both = [...excluded].find((row) => included.has(row));
  if (both !== undefined)
    return invalidOption(`\`exclude\` and \`include\` both have row ${both}; send it in one of them.`);
  const [headingRow, table] = [texts.headingRow, texts.table].map((text) => (text === undefined ? text : Number(text)));
  return { columns: chosen, units, accept: accepted, include: included, exclude: excluded, headingRow, table };
}

/** Parses a JSON object; undefined for another text. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Parses the units of headings. They are resolved with the sheet, because a unit belongs to a field. */
function parseUnits(text: string | undefined): ReadonlyMap<string, string> | InvalidOption {
  const shape = '`units` must be a JSON object such as {"Feed": "mL/h", "@F": "percent"}.';
  const parsed = parseObject(text ?? '{}');
  if (parsed === undefined) return invalidOption(shape);
  const units = new Map<string, string>();
  for (const [heading, unit] of Object.entries(parsed)) {
    if (typeof unit !== 'string') return invalidOption(shape);
    units.set(heading.trim(), unit);
  }
  return units;
}

function parseColumns(text: string | undefined): ReadonlyMap<string, string | null> | InvalidOption {
  if (text === undefined) return NO_OPTIONS.columns;
  const shape = '`columns` must be a JSON object such as {"Feed": "flow_rate", "Comment": null}.';
  const parsed = parseObject(text);
  if (parsed === undefined) return invalidOption(shape);
  const columns = new Map<string, string | null>();
  for (const [heading, column] of Object.entries(parsed)) {
    if (column !== null && typeof column !== 'string') return invalidOption(shape);
    if (column !== null && !guessedColumns.includes(column)) {
      const near = nearestName(column, guessedColumns);
      return invalidOption(
        `\`columns\` maps ${describe(heading)} to the unknown column ${describe(column)}; nearest: ${near}.`,
      );
    }
    columns.set(heading.trim(), column);
  }
  return columns;
}

function isRepair(kind: string): kind is RepairKind {
  return Object.hasOwn(repairChoices, kind);
}

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function parseAccept(text: string | undefined): ReadonlyMap<RepairKind, string> | InvalidOption {
  const accepted = new Map<RepairKind, string>();
  for (const item of itemsOf(text ?? '')) {
    const [kind = '', choice = ''] = item.split(':', 2);
    if (!isRepair(kind)) {
      const kinds = Object.keys(repairChoices).join(', ');
      return invalidOption(`\`accept\` has the unknown kind ${describe(kind)}; choose from ${kinds}.`);
    }
    const choices: readonly string[] = repairChoices[kind];
    if (!choices.includes(choice)) {
      return invalidOption(
        `\`accept\` has no choice ${describe(choice)} for ${kind}; choose from ${choices.join(', ')}.`,
      );
    }
    if (accepted.has(kind) && accepted.get(kind) !== choice) {
      return invalidOption(`\`accept\` has two choices for ${kind}; send one of them.`);
    }
    accepted.set(kind, choice);
  }
  return accepted;
}

function parseRows(name: string, text: string | undefined): ReadonlySet<number> | InvalidOption {
  const rows = new Set<number>();
  for (const item of itemsOf(text ?? '')) {
    if (!/^\d{1,7}$/.test(item))
      return invalidOption(`\`${name}\` must contain numbers of rows, got ${describe(item)}.`);
    rows.add(Number(item));
  }
  return rows;
}
