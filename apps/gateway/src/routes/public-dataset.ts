import type { Response } from 'express';
import { z } from 'zod';
import type { Filter } from '@esd/record/filter';
import { parseFilter } from '@esd/record/parse-filter';
import { schemaReference } from '@esd/record/record-schema';
import { ServiceError } from '@esd/service/errors';
import { catalogueSchema } from '../catalogue-schema.ts';
import type { DatasetStates } from '../dataset-states.ts';
import type { Description } from '../openapi-description.ts';
import { integerText } from '../query.ts';
import { type Call, recordIdText, route, type Input, type Route } from '../route.ts';
import type { RecordPages } from '../record-pages.ts';
import type { Upstream } from '../upstream.ts';

const SKIP = 0;
const LIMIT = 100;

const filterText = z
  .string()
  .meta({
    description: 'Conditions, as a JSON object.',
    contentMediaType: 'application/json',
    contentSchema: schemaReference('Filter'),
  })
  .optional();

const pageQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).default(SKIP).meta({ default: SKIP }),
  limit: integerText(1, 1000).default(LIMIT).meta({ default: LIMIT }),
  filter: filterText,
  explain: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .meta({ description: 'With `true`: how the filter was understood, in the place of records.' }),
  record: recordIdText
    .optional()
    .meta({ description: 'With `explain=true`: a record, to be told whether and why it matches.' }),
});

const exportQuery = z.object({
  format: z.enum(['xlsx', 'json', 'csv', 'zip'], 'must be xlsx, json, csv or zip').optional(),
  version: z.string().optional(),
  filter: filterText,
});

const versionQuery = z.object({ ...pageQuery.shape, format: exportQuery.shape.format });

const records = z.array(catalogueSchema('Record'));
const page = z.strictObject({
  data: records,
  total: z.int().min(0).meta({ description: 'How many records match in all.' }),
  skip: z.int().min(0),
  limit: z.int().min(1).max(1000),
  version: z.string().meta({ description: '`latest`.' }),
});

const condition = z.strictObject({
  key: z.string(),
  meaning: z.string().meta({ description: 'The condition in words.' }),
  unit: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  text: z.string().optional().meta({ description: 'What is searched, as it is compared.' }),
  entries: z.array(z.string()).optional().meta({ description: 'Entries of the reference list that it finds.' }),
  words: z.array(z.string()).optional().meta({ description: 'Words, one of which a device of the category has.' }),
});
const explanation = z.strictObject({
  conditions: z.array(condition),
  total: z.int().min(0).meta({ description: 'How many records match.' }),
  version: z.string().meta({ description: '`latest`.' }),
  record: z
    .strictObject({
      recordId: z.int(),
      matches: z.boolean(),
      conditions: z.array(
        condition.extend({
          holds: z.boolean(),
          value: z.number().optional().meta({ description: 'The value of the record, in `unit`.' }),
          texts: z.array(z.string()).optional().meta({ description: 'The texts of the record that were searched.' }),
          reason: z.string().optional().meta({ description: 'Why the condition does not hold.' }),
        }),
      ),
    })
    .optional(),
});

const versionText = z
  .array(z.string())
  .transform((segments) => segments.join('/'))
  .meta({ type: 'string', description: 'A version identifier, or a DOI with its slashes as they are.' });

const ofPage: Description = {
  tag: 'Dataset',
  summary: 'A page of the latest dataset',
  details: 'Records in ascending order of recordId. All conditions of the filter must hold.',
  returns: 'The page, or with `explain=true` the explanation of the filter.',
  answerHeaders: { Link: 'The pages first, prev, next and last (RFC 8288), relative to this one.' },
  revalidates: true,
  errors: ['INVALID_FILTER', 'RECORD_NOT_FOUND'],
  example: { parameters: { limit: 5, filter: '{"polymer":"PVA","voltageMin":15}' } },
};
const ofVersions: Description = {
  tag: 'Dataset',
  summary: 'Frozen versions of the dataset; not available yet',
  returns: 'Not available yet.',
  errors: ['NOT_IMPLEMENTED'],
};

/** Open reads of the dataset. */
export function publicDatasetRoutes(
  pages: RecordPages,
  states: DatasetStates,
  { dataset, exportBytes }: Pick<Upstream, 'dataset' | 'exportBytes'>,
): Route[] {
  const readLatest = async (
    { query, call, request }: Input<z.output<typeof pageQuery>, unknown, unknown>,
    response: Response,
  ): Promise<void> => {
    const { skip, limit, filter: filterText, explain, record } = query;
    const filter = filterText === undefined ? [] : readFilter(filterText);
    if (explain === 'true') {
      response.json(await explained(dataset, filterText ?? '{}', record, call));
      return;
    }
    if (record !== undefined) {
      throw new ServiceError(
        'INVALID_PARAMETER',
        `record=${record} is held against the filter with explain=true only.`,
      );
    }
    await pages({ skip, limit, filter, filterText }, request, response, call);
  };
  const versionsLater = (): never => {
    throw new ServiceError('NOT_IMPLEMENTED', 'Versions are not available yet; the latest dataset is.');
  };
  const latest = {
    method: 'get',
    caller: 'ignored',
    query: pageQuery,
    answer: z.union([page, explanation]),
    handle: readLatest,
  } as const;
  return [
    route({ ...latest, path: '/public/dataset', describe: ofPage }),
    route({ ...latest, path: '/public/dataset/latest', describe: ofPage }),
    route({
      method: 'get',
      path: '/public/dataset/export',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        tag: 'Dataset',
        summary: 'The latest dataset as a file',
        details:
          '`format=json` and `format=csv` are available yet. The file is streamed; one that breaks off never looks complete.',
        returns: 'An array of records, in ascending order of recordId; as csv a line for each.',
        otherTypes: ['text/csv'],
        answerHeaders: { 'Content-Disposition': 'The name of the file.' },
        revalidates: true,
        errors: ['INVALID_REQUEST', 'INVALID_FILTER', 'NOT_IMPLEMENTED'],
        example: { parameters: { format: 'json', filter: '{"polymer":"PVDF","collectorType":"rotating"}' } },
      },
      query: exportQuery,
      answer: records,
      handle: async ({ request, call }, response) => {
        // So that a file is never older than a page read before it.
        await exportBytes(request, response, { ...call, stateSeen: states.seen() });
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/versions',
      caller: 'ignored',
      describe: ofVersions,
      query: versionQuery,
      handle: versionsLater,
    }),
    route({
      method: 'get',
      // The version may be a DOI, whose slashes stand in the path.
      path: '/public/dataset/*version',
      caller: 'ignored',
      describe: { ...ofVersions, example: { parameters: { version: 'v1.0.0' } } },
      query: versionQuery,
      parameters: z.object({ version: versionText }),
      handle: versionsLater,
    }),
  ];
}

async function explained(
  dataset: Upstream['dataset'],
  filterJson: string,
  recordId: number | undefined,
  call: Call,
): Promise<z.output<typeof explanation>> {
  const answer = await dataset.explainFilter({ filterJson, recordId }, call);
  const { total, conditionsJson, recordMatches, recordConditionsJson } = answer;
  const conditionsOf = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString());
  return explanation.parse({
    conditions: conditionsOf(conditionsJson),
    total,
    version: 'latest',
    ...(recordId === undefined
      ? {}
      : { record: { recordId, matches: recordMatches, conditions: conditionsOf(recordConditionsJson) } }),
  });
}

function readFilter(text: string): Filter {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return parsed.filter;
}
