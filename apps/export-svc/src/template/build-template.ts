import { buffer } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import type { Field } from '@esd/record/catalog/catalog';
import { sheetColumns, memberOfColumn } from '@esd/record/flatten/flatten';
import type { References } from '@esd/record/reference/reference';
import { MAX_RECORDS } from '@esd/record/submission-size';
import { type DataValidation, DatedWorkbook, type Worksheet } from '../files/dated-workbook.ts';
import { styleHeader } from '../files/style-header.ts';
import { columnLetters } from '@esd/record/sheet/column-letters';
import { columnNote } from './column-note.ts';

// Fixed, so that the same lists produce the same bytes.
const DATE = new Date(Date.UTC(2000, 0, 1));
const LISTS = 'Lists';
const LAST_ROW = MAX_RECORDS + 1;

type DataSheet = Worksheet & { dataValidations: { add: (range: string, validation: DataValidation) => unknown } };
type Lists = Map<string, readonly string[]>;

/** The headings of the second template, each with its column and two examples. */
const PLAIN: readonly (readonly [heading: string, column: string | undefined, first: CellValue, second: CellValue])[] =
  [
    ['Row', undefined, 'example 1', 'example 2'],
    ['Polymer', 'polymer(s)', 'PVDF', 'PVA'],
    ['Solvent', 'solvent(s)', 'DMF/ACETONE', 'WATER'],
    ['Solvent ratio (v/v)', undefined, '7:3', undefined],
    ['Concentration (wt%)', undefined, 18, 10],
    ['Voltage (kV)', undefined, 15, 18],
    ['Flow rate (mL/h)', undefined, 1, 0.5],
    ['Distance (cm)', undefined, 15, 12],
    ['Needle (G)', undefined, 21, 22],
    ['Collector', undefined, 'flat plate', 'rotating drum'],
    ['Temperature (°C)', undefined, 23, 25],
    ['Humidity (%)', undefined, 40, 45],
    ['Stable', 'was_formation_stable', 'yes', 'no'],
    ['Fiber diameter (nm)', undefined, 450, undefined],
    ['SD (nm)', undefined, 60, undefined],
    ['Morphology', 'morphology', 'Smooth', 'Bead'],
    ['DOI', undefined, undefined, undefined],
    ['Comment', undefined, 'Delete the examples, or leave them: they are not read.', undefined],
    ['Sample ID', undefined, 'PVDF-07', undefined],
    ['Remarks', undefined, undefined, undefined],
    ['Molecular weight (g/mol)', undefined, 275_000, 89_000],
  ];
type CellValue = string | number | undefined;

/** The headings of a template: the columns of sheets, or those that people write. */
export type TemplateHeadings = 'names' | 'plain';

/**
 * Builds the workbook for parse-excel, with headers, drop-down lists (from a hidden sheet) and notes, or the plain one
 * with two examples. The same lists produce the same bytes.
 */
export async function buildTemplate(references: References, headings: TemplateHeadings): Promise<Buffer> {
  const file = new PassThrough();
  const bytes = buffer(file);
  const workbook = new DatedWorkbook(file, DATE);
  const lists: Lists = headings === 'plain' ? addPlainSheet(workbook, references) : addSheets(workbook, references);
  const longest = Math.max(...[...lists.values()].map((values) => values.length));
  const hidden = workbook.addSheet(LISTS, { columns: lists.size, rows: longest + 1 }, { state: 'hidden' });
  hidden.addRow([...lists.keys()]);
  for (let row = 0; row < longest; row++) hidden.addRow([...lists.values()].map((values) => values[row]));
  hidden.commit();
  await workbook.commit();
  return bytes;
}

function addDataSheet(workbook: DatedWorkbook, headers: readonly string[], rows: number): DataSheet {
  // The type declarations of exceljs lack the member dataValidations.
  const data = workbook.addSheet(
    'Data',
    { columns: headers.length, rows },
    { views: [{ state: 'frozen', ySplit: 1 }] },
  ) as DataSheet;
  data.columns = headers.map((header) => ({ header, width: Math.max(header.length + 2, 12) }));
  styleHeader(data.getRow(1));
  return data;
}

function addPlainSheet(workbook: DatedWorkbook, references: References): Lists {
  const lists: Lists = new Map();
  const data = addDataSheet(
    workbook,
    PLAIN.map(([heading]) => heading),
    3,
  );
  for (const [index, [, column]] of PLAIN.entries()) {
    const letters = columnLetters(index);
    const choice = column === undefined ? undefined : choiceOf(column, references);
    if (choice !== undefined) lists.set(choice.key, choice.values);
    const range = choice && listRange([...lists.keys()].indexOf(choice.key), choice.values);
    const formula = range ?? (column === undefined ? undefined : '"yes,no"');
    if (formula === undefined) continue;
    // The list contains only suggestions, because parse-excel also accepts other spellings and several names.
    const validation: DataValidation = { type: 'list', formulae: [formula], allowBlank: true, showErrorMessage: false };
    data.dataValidations.add(`${letters}2:${letters}${LAST_ROW}`, validation);
  }
  data.addRow(PLAIN.map(([, , first]) => first));
  data.addRow(PLAIN.map(([, , , second]) => second));
  data.commit();
  return lists;
}

function addSheets(workbook: DatedWorkbook, references: References): Lists {
  const lists: Lists = new Map();
  const data = addDataSheet(workbook, sheetColumns, 1);
  for (const [index, column] of sheetColumns.entries()) {
    const letters = columnLetters(index);
    const choice = choiceOf(column, references);
    if (choice !== undefined) lists.set(choice.key, choice.values);
    const validation = validationOf(column, choice && listRange([...lists.keys()].indexOf(choice.key), choice.values));
    data.dataValidations.add(`${letters}2:${letters}${LAST_ROW}`, validation);
  }
  data.commit();

  const columns = workbook.addSheet(
    'Columns',
    { columns: 2, rows: sheetColumns.length + 1 },
    { views: [{ state: 'frozen', ySplit: 1 }] },
  );
  columns.columns = [
    { header: 'Column', width: 34 },
    { header: 'Content', width: 110 },
  ];
  styleHeader(columns.getRow(1));
  for (const column of sheetColumns) columns.addRow([column, columnNote(column)]);
  columns.commit();
  return lists;
}

/** The values of a drop-down list, which columns with the same values share. */
interface Choice {
  readonly key: string;
  readonly values: readonly string[];
}

const inUse = ({ retired }: { readonly retired?: boolean | undefined }): boolean => retired !== true;

function choiceOf(column: string, { lists }: References): Choice | undefined {
  if (column === 'polymer(s)') return { key: 'polymers', values: lists.polymers.filter(inUse).map(({ name }) => name) };
  if (column === 'solvent(s)') return { key: 'solvents', values: lists.solvents.filter(inUse).map(({ name }) => name) };
  const place = memberOfColumn(column);
  if (place?.kind === 'unit') return unitsOf(place.field, lists);
  if (place?.field.kind !== 'labels') return undefined;
  const { list } = place.field;
  return { key: list, values: lists[list].filter(inUse).map(({ label }) => label) };
}

function unitsOf(field: Field, { units }: References['lists']): Choice | undefined {
  if (field.kind !== 'quantity') return undefined;
  const { dimensions } = field;
  const values = dimensions.flatMap((dimension) =>
    units.filter((unit) => unit.dimension === dimension && inUse(unit)).map(({ unit }) => unit),
  );
  return { key: dimensions.join(', '), values };
}

function listRange(index: number, values: readonly string[]): string {
  const letters = columnLetters(index);
  return `${LISTS}!$${letters}$2:$${letters}$${values.length + 1}`;
}

function validationOf(column: string, range: string | undefined): DataValidation {
  const prompt = columnNote(column);
  // Excel truncates longer texts.
  const hint = { showInputMessage: true, promptTitle: column.slice(0, 32), prompt: prompt.slice(0, 255) };
  const formula = range ?? (isFlag(column) ? '"TRUE,FALSE"' : undefined);
  // exceljs omits the type `any` when it writes, which its type declarations do not allow.
  if (formula === undefined) return { type: 'any', formulae: [], ...hint } as unknown as DataValidation;
  // The list contains only suggestions, because parse-excel also accepts other spellings and several names.
  return { type: 'list', formulae: [formula], allowBlank: true, showErrorMessage: false, ...hint };
}

function isFlag(column: string): boolean {
  return column === 'is_polymer_blend' || column === 'is_solvent_blend' || memberOfColumn(column)?.kind === 'boolean';
}
