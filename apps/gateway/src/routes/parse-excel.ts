import { z } from 'zod';
import { catalogueSchema } from '../catalogue-schema.ts';
import { formBody } from '../form-body.ts';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

// A file of 20 MB, and what the form adds.
const FORM_BYTES = 20 * 1024 * 1024 + 64 * 1024;

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const sheetForm = z.strictObject({
  file: z.string().meta({
    format: 'binary',
    description: 'A workbook (.xlsx) or CSV file (UTF-8) of at most 20 MB, judged by its content.',
  }),
});

/** Records from sheets: the empty one, and the way from a filled one to a submission. */
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
          'Takes the template, the xlsx or csv export, or any sheet whose first row names some of their columns, in any order; of a workbook the first sheet that is not hidden.',
          'A value may have its unit behind it (`15 kV`); a formula counts as its result. Empty rows are left out, up to 1,000 records are read.',
          'Nothing is stored: the items go into `experimentData` of POST /data/submit, or with their `recordId` into PUT /data/update-submission.',
          'All problems are answered at once; the `path` of each is the address of its cell, such as `Sheet1!C7`.',
          'A file that takes more than 10 s or 192 MB of memory to read is 413; 429 with `Retry-After` says that too many files of yours wait.',
        ].join(' '),
        returns: 'An item for each row, with its own researchMetadata.',
      },
      body: formBody(FORM_BYTES, sheetForm),
      answer: z.array(catalogueSchema('ExperimentDataDTO')),
      handle: ({ request, call }, response) => exportBytes(request, response, call),
    }),
    route({
      method: 'get',
      path: '/data/template.xlsx',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        tag: 'Data',
        summary: 'The empty sheet for records',
        details: 'Its drop-down lists hold the reference lists as they are now.',
        returns: 'The workbook.',
        otherTypes: [XLSX],
        answerHeaders: { 'Content-Disposition': 'The name of the file.' },
        revalidates: true,
      },
      handle: ({ request, call }, response) => exportBytes(request, response, call),
    }),
  ];
}
