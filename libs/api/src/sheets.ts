import { repairChoices } from '@esd/record/sheet/sheet-reading';
import { z } from 'zod';
import { catalogSchema } from './catalog-schema.ts';
import { fileType } from './export-format.ts';
import { integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { recordWarning } from './record-warning.ts';

const choiceList = Object.entries(repairChoices)
  .map(([kind, choices]) => `${kind}: ${choices.join(', ')}`)
  .join('; ');

/** The largest number of a row in a workbook. */
const rowNumber = integerText(1, 1_048_576);

export const sheetQuery = z.object({
  cells: z.enum(['true', 'values']).optional().meta({
    description:
      'Returns the cells unchanged, so that they can be corrected before they are submitted. `true`: as texts, with the headings in the first row. `values`: with their types and merged ranges, of a sheet with any headings.',
  }),
  headings: z.enum(['names', 'guess']).optional().meta({
    description:
      '`names` (default) reads the columns of the template. `guess` reads the headings, units, ranges, and decimal commas that laboratories write.',
  }),
  sheet: z.string().optional().meta({
    description:
      'With `headings=guess` or `cells=values`: the name of a visible sheet; by default the first one with headings.',
  }),
  columns: z.string().optional().meta({
    description:
      'With `headings=guess`: a JSON object that maps a heading, as written, or the position of a column, such as `@C`, to a column, or to `null` to leave it out.',
  }),
  units: z.string().optional().meta({
    description:
      'With `headings=guess`: a JSON object that maps each heading, as written, or `@C` for the column C, to a unit of the unit list, or to `percent` or `fraction`.',
  }),
  accept: z
    .string()
    .optional()
    .meta({
      description: `With \`headings=guess\`: comma-separated pairs \`kind:choice\`, such as \`range:middle\`; each applies to every cell of that kind. ${choiceList}.`,
    }),
  include: z.string().optional().meta({
    description:
      'With `headings=guess`: comma-separated numbers of rows to read although they look like no experiment.',
  }),
  exclude: z.string().optional().meta({
    description: 'With `headings=guess`: comma-separated numbers of rows to leave out.',
  }),
  headingRow: rowNumber.optional().meta({
    description:
      'With `headings=guess`: the number of the row that contains the headings. The rows above are ignored. By default, the reader finds the row.',
  }),
  table: rowNumber.optional().meta({
    description: 'With `headings=guess`: the table to read, from 1 (default). `tables` lists the tables of a sheet.',
  }),
});

const templateQuery = z.object({
  headings: z.enum(['names', 'plain']).optional().meta({
    description: '`names` (default): the column names of the dataset. `plain`: headings as laboratories write them.',
  }),
});

const sheetCells = z.strictObject({
  rows: z
    .array(z.strictObject({ number: z.int(), cells: z.array(z.string()) }))
    .meta({ description: 'The headings, then at most 1,000 rows. An unreadable cell begins with `#VALUE!`.' }),
  more: z.int().meta({ description: 'The number of rows that follow.' }),
});

const sheetFile = {
  kind: z.enum(['xlsx', 'csv']),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()).meta({ description: 'The names of the visible sheets.' }),
  encoding: z.enum(['utf-8', 'utf-16', 'windows-1252']).optional(),
  separator: z.enum([',', ';', '\t']).optional(),
};

const plainValue = z.union([z.string(), z.number(), z.boolean()]);

const formattedCell = z
  .strictObject({
    kind: z.literal('formatted'),
    value: plainValue.meta({ description: 'The stored value; a number with a unit in its format is a text of both.' }),
    shown: z.string().optional().meta({ description: 'The text that the cell shows instead of a stored number.' }),
    format: z.enum(['percent-format', 'format-unit', 'format-scaled']).optional(),
    comment: z.string().optional().meta({ description: 'At most 200 characters of the comment.' }),
  })
  .meta({ description: 'A cell with a number format, a struck number, or a comment.' });

const sheetValues = z.strictObject({
  file: z.strictObject(sheetFile),
  rows: z
    .array(
      z.strictObject({
        number: z.int(),
        cells: z.array(z.union([plainValue, formattedCell])),
        isHidden: z.boolean().optional(),
      }),
    )
    .meta({
      description:
        'At most 1,022 filled rows. An unreadable cell begins with `#VALUE!`. Superscripts are characters, and U+0336 follows each struck character.',
    }),
  merged: z.array(z.string()).meta({ description: 'Ranges such as `A3:B4`.' }),
  hiddenColumns: z.array(z.string()).optional().meta({ description: 'The letters of the hidden columns with cells.' }),
});

const rowProblem = z.strictObject({
  path: z.string().meta({ description: 'The address of the cell, such as `Sheet1!C7`.' }),
  code: z.string(),
  message: z.string(),
  kind: z.string().optional(),
  text: z.string().optional().meta({ description: 'The cell as written.' }),
  choices: z.array(z.strictObject({ choice: z.string(), reads: z.string() })).optional(),
});

const sheetReading = z.strictObject({
  file: z.strictObject({ ...sheetFile, decimalMark: z.enum(['.', ',']).nullable() }),
  orientation: z.enum(['rows', 'columns']).meta({ description: '`columns`: each column is an experiment.' }),
  headingRow: z.int(),
  unitRow: z.int().nullable(),
  tables: z
    .array(z.strictObject({ headingRow: z.int(), rows: z.int() }))
    .meta({ description: 'The tables of the sheet from the top; `table` selects one.' }),
  columns: z.array(
    z.strictObject({
      at: z.string(),
      heading: z.string(),
      unit: z.string().nullable(),
      state: z.enum(['read', 'ask', 'left-out']),
      reads: z.string().nullable(),
      candidates: z.array(z.string()),
      choices: z.array(z.string()).meta({ description: 'The units for a column that asks for its unit.' }),
      reason: z.string().nullable(),
    }),
  ),
  rows: z.array(
    z.strictObject({
      row: z.int(),
      state: z.enum(['ready', 'error', 'left-out']),
      reason: z.string().nullable(),
      item: z.union([catalogSchema('ExperimentDataDTO'), z.null()]),
      errors: z.array(rowProblem),
      warnings: z.array(recordWarning.extend({ path: rowProblem.shape.path })),
    }),
  ),
  notes: z
    .array(z.strictObject({ path: z.string(), kind: z.string(), text: z.string(), reads: z.string() }))
    .meta({ description: 'The cells that were read as something else than their plain text.' }),
  repairs: z
    .array(
      z.strictObject({ kind: z.string(), at: z.string(), cells: z.array(z.string()), choices: z.array(z.string()) }),
    )
    .meta({ description: 'The cells with several readings, by kind and column; `accept` chooses one.' }),
  counts: z.strictObject({ rows: z.int(), ready: z.int(), errors: z.int(), leftOut: z.int() }),
  errorCount: z.int().meta({ description: 'The number of all errors; at most 1,000 problems are listed.' }),
  settled: z.boolean().meta({ description: 'Whether no column has the state `ask`.' }),
});

export const parseSheet = operation({
  method: 'post',
  path: '/data/parse-excel',
  caller: 'required',
  describe: {
    tag: 'Data',
    summary: 'Read records from a sheet',
    details: [
      'Accepts the template, the xlsx or csv export, or any sheet whose first row names some of their columns, in any order. In a workbook, the first sheet that is not hidden is read.',
      'A value can be followed by its unit (`15 kV`), and a formula counts as its result. Empty rows are skipped. At most 1,000 records are read.',
      'Nothing is stored. Send the items as `experimentData` to `POST /data/submit`, or with their `recordId` to `PUT /data/update-submission`.',
      'With `headings=guess`, the headings, the units and the cells are read as laboratories write them. The response is 200 even if rows have errors. It lists what was read in another form than written (`notes`), what has several readings (`repairs`), the columns to choose (`ask`) and the rows that are left out. A column whose unit is unknown or missing is one to choose, too; `units` states its unit.',
      'Without a recognized heading row, the problem `NO_HEADING_ROW` lists the first rows, so that `headingRow` can name one.',
      'All problems are reported together. The `path` of each is the address of its cell, such as `Sheet1!C7`.',
      'A file that takes more than 10 s or 192 MB of memory to read is rejected with 413. The response is 429 with `Retry-After` if too many files of the caller are waiting.',
    ].join(' '),
    returns:
      'An item for each row, with its own `researchMetadata`; with `cells=true` or `cells=values`, the cells; with `headings=guess`, the reading of the sheet.',
    example: { body: { file: 'experiments.csv' } },
  },
  query: sheetQuery,
  response: z.union([z.array(catalogSchema('ExperimentDataDTO')), sheetCells, sheetValues, sheetReading]),
});

export const getTemplate = operation({
  method: 'get',
  path: '/data/template.xlsx',
  caller: 'ignored',
  limit: 'exports',
  describe: {
    tag: 'Data',
    summary: 'Download an empty sheet for records',
    details:
      'Its drop-down lists contain the current reference lists. `headings=plain` returns a sheet with headings as laboratories write them and two examples, for `POST /data/parse-excel?headings=guess`.',
    returns: 'The workbook.',
    otherTypes: [fileType('xlsx')],
    answerHeaders: { 'Content-Disposition': 'The name of the file.' },
    revalidates: true,
  },
  query: templateQuery,
});
