import { ServiceError } from '@esd/service/errors';
import { z } from 'zod';
import { UPLOAD_FORM_BYTES } from '@esd/api/allowances';
import type { sheetQuery } from '@esd/api/sheets';
import { getTemplate, parseSheet } from '@esd/api/sheets';
import { formBody } from '../../http/body/form-body.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

const sheetForm = z.strictObject({
  file: z.string().meta({
    format: 'binary',
    description:
      'A workbook (.xlsx) or CSV file (UTF-8; with `headings=guess` also UTF-16 or Windows-1252) of at most 20 MB; the content decides which, not the name.',
  }),
});

/** Returns the path of the internal endpoint. Throws INVALID_PARAMETER for parameters that exclude each other. */
function endpointPath(query: z.output<typeof sheetQuery>): string {
  const { headings = 'names', cells = 'false', ...options } = query;
  if (headings === 'guess' && cells !== 'false') {
    throw new ServiceError(
      'INVALID_PARAMETER',
      `\`headings\` must be names with \`cells=${cells}\`; send one of the two.`,
    );
  }
  const given = Object.entries(options).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const first = given.find(([name]) => name !== 'sheet' || cells !== 'values');
  if (headings === 'names' && first !== undefined) {
    throw new ServiceError('INVALID_PARAMETER', `\`${first[0]}\` requires \`headings=guess\`.`);
  }
  return `/data/parse-excel?${new URLSearchParams([['headings', headings], ['cells', cells], ...given]).toString()}`;
}

export function parseExcelRoutes({ exportBytes }: Pick<Upstream, 'exportBytes'>): Route[] {
  return [
    serve(parseSheet, {
      targets: ['http:/data'],
      body: formBody(UPLOAD_FORM_BYTES, sheetForm),
      handle: ({ query, request, call }, response) =>
        exportBytes({ path: endpointPath(query) }, request, response, call),
    }),
    serve(getTemplate, {
      handle: ({ query: { headings = 'names' }, request, call }, response) =>
        exportBytes({ path: `/data/template.xlsx?headings=${headings}` }, request, response, call),
    }),
  ];
}
