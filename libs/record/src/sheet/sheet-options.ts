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

/**
 * The parameters of a request: `columns` and `units` are JSON objects, `accept` has comma-separated pairs `kind:choice`,
 * and `include` and `exclude` comma-separated numbers of rows.
 */
export const optionNames = ['columns', 'units', 'accept', 'include', 'exclude', 'headingRow', 'table'] as const;

/** The parameters of a request as texts. */
export type OptionTexts = Readonly<Partial<Record<(typeof optionNames)[number], string | undefined>>>;

export const invalidOption = (message: string): InvalidOption => ({ kind: 'invalid-option', message });

/** Parses the choices of a request. Headings and rows are checked against the sheet when it is read. */
export function parseSheetOptions(texts: OptionTexts): SheetOptions | InvalidOption {
  const problems: string[] = [];
  const refuse = (problem: string): void => void problems.push(problem);
  const [headingRow, table] = [texts.headingRow, texts.table].map((text) => (text === undefined ? text : Number(text)));
  const options = {
    columns: parseColumns(texts.columns, refuse),
    // Units are resolved with the sheet, because a unit belongs to a field.
    units: parseByHeading('units', texts.units, isText, '{"Feed": "mL/h", "@F": "percent"}', refuse),
    accept: parseAccept(texts.accept, refuse),
    include: parseRows('include', texts.include, refuse),
    exclude: parseRows('exclude', texts.exclude, refuse),
    headingRow,
    table,
  };
  const both = [...options.exclude].find((row) => options.include.has(row));
  if (both !== undefined) refuse(`\`exclude\` and \`include\` both have row ${both}; send it in one of them.`);
  const [problem] = problems;
  return problem === undefined ? options : invalidOption(problem);
}

type Refuse = (problem: string) => void;

const isText = (value: unknown): value is string => typeof value === 'string';
const isColumn = (value: unknown): value is string | null => value === null || isText(value);

/** Parses a JSON object by heading. */
function parseByHeading<Value>(
  name: string,
  text: string | undefined,
  isValue: (value: unknown) => value is Value,
  example: string,
  refuse: Refuse,
): ReadonlyMap<string, Value> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? '{}');
  } catch {
    // Refused below.
  }
  const entries = isObject(parsed) ? Object.entries(parsed) : [];
  const values = entries.flatMap(([heading, value]): [string, Value][] =>
    isValue(value) ? [[heading.trim(), value]] : [],
  );
  if (!isObject(parsed) || values.length < entries.length)
    refuse(`\`${name}\` must be a JSON object such as ${example}.`);
  return new Map(values);
}

function parseColumns(text: string | undefined, refuse: Refuse): ReadonlyMap<string, string | null> {
  const columns = parseByHeading('columns', text, isColumn, '{"Feed": "flow_rate", "Comment": null}', refuse);
  for (const [heading, column] of columns) {
    if (column === null || guessedColumns.includes(column)) continue;
    const near = nearestName(column, guessedColumns);
    const unknown = `the unknown column ${describe(column)}; nearest: ${near}`;
    refuse(`\`columns\` maps ${describe(heading)} to ${unknown}.`);
  }
  return columns;
}

function isRepair(kind: string): kind is RepairKind {
  return Object.hasOwn(repairChoices, kind);
}

const itemsOf = (text = ''): string[] => text.split(',').flatMap((item) => item.trim() || []);

function parseAccept(text: string | undefined, refuse: Refuse): ReadonlyMap<RepairKind, string> {
  const accepted = new Map<RepairKind, string>();
  for (const item of itemsOf(text)) {
    const [kind = '', choice = ''] = item.split(':', 2);
    const choices: readonly string[] = isRepair(kind) ? repairChoices[kind] : [];
    if (!isRepair(kind)) {
      const kinds = Object.keys(repairChoices).join(', ');
      refuse(`\`accept\` has the unknown kind ${describe(kind)}; choose from ${kinds}.`);
    } else if (!choices.includes(choice)) {
      refuse(`\`accept\` has no choice ${describe(choice)} for ${kind}; choose from ${choices.join(', ')}.`);
    } else if ((accepted.get(kind) ?? choice) !== choice) {
      refuse(`\`accept\` has two choices for ${kind}; send one of them.`);
    } else accepted.set(kind, choice);
  }
  return accepted;
}

function parseRows(name: string, text: string | undefined, refuse: Refuse): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const item of itemsOf(text)) {
    if (/^\d{1,7}$/.test(item)) rows.add(Number(item));
    else refuse(`\`${name}\` must contain numbers of rows, got ${describe(item)}.`);
  }
  return rows;
}
