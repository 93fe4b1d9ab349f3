import { z } from 'zod';
import { catalogSchema } from '../../schemas/catalog-schema.ts';
import { fileType } from '../../dataset/export-format.ts';
import { formBody } from '../../http/body/form-body.ts';
import { route, type Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

// A file of 20 MB plus the rest of the form.
const FORM_BYTES = 20 * 1024 * 1024 + 64 * 1024;

const sheetForm = z.strictObject({
  file: z.string().meta({
    format: 'binary',
    description: 'A workbook (.xlsx) or CSV file (UTF-8) of at most 20 MB; the content decides which, not the name.',
  }),
});

const sheetQuery = z.object({
  cells: z.literal('true').optional().meta({
    description: 'Returns the cells unchanged, so that they can be corrected before they are submitted.',
  }),
});
const sheetCells = z.strictObject({
  rows: z
    .array(z.strictObject({ number: z.int(), cells: z.array(z.string()) }))
    .meta({ description: 'The headings, then at most 1,000 rows. An unreadable cell begins with `#VALUE!`.' }),
  more: z.int().meta({ description: 'The number of rows that follow.' }),
});

export function parseExcelRoutes({ exportBytes }: Pick<Upstream, 'exportBytes'>): Route[] {
  return [
    route({
      method: 'post',
      path: '/data/parse-excel',
      caller: 'required',
      targets: ['http:/data'],
      describe: {
        tag: 'Data',
        summary: 'Read records from a sheet',
        details: [
          'Accepts the template, the xlsx or csv export, or any sheet whose first row names some of their columns, in any order. In a workbook, the first sheet that is not hidden is read.',
          'A value can be followed by its unit (`15 kV`), and a formula counts as its result. Empty rows are skipped. At most 1,000 records are read.',
          'Nothing is stored. Send the items as `experimentData` to `POST /data/submit`, or with their `recordId` to `PUT /data/update-submission`.',
          'All problems are reported together. The `path` of each is the address of its cell, such as `Sheet1!C7`.',
          'A file that takes more than 10 s or 192 MB of memory to read is rejected with 413. The response is 429 with `Retry-After` if too many files of the caller are waiting.',
        ].join(' '),
        returns: 'An item for each row, with its own `researchMetadata`; with `cells=true`, the cells.',
      },
      body: formBody(FORM_BYTES, sheetForm),
      query: sheetQuery,
      answer: z.union([z.array(catalogSchema('ExperimentDataDTO')), sheetCells]),
      handle: ({ query: { cells = 'false' }, request, call }, response) =>
        exportBytes({ path: `/data/parse-excel?cells=${cells}` }, request, response, call),
    }),
    route({
      method: 'get',
      path: '/data/template.xlsx',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        tag: 'Data',
        summary: 'Download an empty sheet for records',
        details: 'Its drop-down lists contain the current reference lists.',
        returns: 'The workbook.',
        otherTypes: [fileType('xlsx')],
        answerHeaders: { 'Content-Disposition': 'The name of the file.' },
        revalidates: true,
      },
      handle: ({ request, call }, response) => exportBytes({ path: '/data/template.xlsx' }, request, response, call),
    }),
  ];
}
