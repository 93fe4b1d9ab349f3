import { LATEST } from '@esd/api/release-name';
import { exportFormat, fileHeaders, fileTypes } from '@esd/api/export-format';
import { stateHeaders } from '@esd/api/dataset-headers';
import { fieldsQuery, pageQuery, recordPage, records, repeatsQuery, sortQuery } from '@esd/api/record-list';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Request } from 'express';
import { z } from 'zod';
import { MAX_BODY_FILTER_LENGTH, parseFilter } from '@esd/record/filter/parse-filter';
import { schemaReference } from '@esd/record/catalog/record-schema';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest } from '../../dataset/export-format.ts';
import { fieldsOf, type PublicQueries, type PublicQuery, wholeQuery } from '../../dataset/public-queries.ts';
import { IMMUTABLE } from '../../dataset/releases.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { pagedHeaders } from '@esd/api/paged-list';
import { publicPath, selfUrl } from '../../http/public-url.ts';
import { prefersPage } from '../../pages/page-route.ts';
import { route, type Route } from '../../http/route.ts';
import type { Description } from '@esd/api/operation';
import type { RecordPages } from '../../reads/record-pages.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** The longest filter, each of its characters as an escape of six bytes, and the other members. */
const BODY_BYTES = 6 * MAX_BODY_FILTER_LENGTH + 16 * 1024;
const DIGEST_METHOD = 'rows-v1';

const filterObject = z.looseObject({}).meta({ description: 'The filter; an empty object selects all records.' });

const publicQuery = z
  .strictObject({
    id: z.string().meta({ description: 'Derived from the request and the digest.' }),
    filter: filterObject,
    sort: z.string().optional().meta({
      description:
        'The order, in the format of lists of records. If absent, records are in ascending order of `recordId`.',
    }),
    fields: z
      .string()
      .optional()
      .meta({ description: 'The members, in the format of lists of records. If absent, records have all members.' }),
    repeats: z.literal('once').optional().meta({
      description: 'If present, only the record with the lowest id of each group of repeated records is in the query.',
    }),
    version: z.string().meta({ description: '`latest` or the identifier of the release in the first request.' }),
    datasetRevision: z.int().meta({ description: 'The dataset revision of the first request.' }),
    recordCount: z.int().min(0),
    digest: z.string().meta({
      description:
        'The SHA-256 over one line for each record, in ascending order of `recordId`. The line is the SHA-256 of the canonical JSON (RFC 8785) of the whole record as 64 hexadecimal digits, and a line feed.',
    }),
    digestMethod: z.literal(DIGEST_METHOD),
    createdAt: z.iso.datetime(),
    url: z.string().meta({ description: 'The URL of the query.' }),
  })
  .meta({ id: 'Query' });

const createBody = z.strictObject({
  filter: z
    .looseObject({})
    .transform((filter, context) => {
      const text = JSON.stringify(filter);
      const parsed = parseFilter(text, MAX_BODY_FILTER_LENGTH);
      if (!('problem' in parsed)) return { text, conditions: parsed.filter };
      const message = `is not valid: ${parsed.problem.message.replace(/\.$/, '')}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ type: 'object', allOf: [schemaReference('Filter')] })
    .optional(),
  sort: sortQuery,
  fields: fieldsQuery,
  version: z.string().optional().meta({ description: 'A release identifier or a DOI; defaults to `latest`.' }),
  repeats: repeatsQuery,
});

const queryId = z.object({ id: z.string() });
const EXAMPLE = { parameters: { id: 'cfb88d67ce1d208f0d8c3a27bf10e81b' } };

const ofQuery = {
  tag: 'Queries',
  revalidates: true,
  errors: ['QUERY_NOT_FOUND'],
  example: EXAMPLE,
} satisfies Partial<Description>;

export function publicQueryRoutes(
  pages: RecordPages,
  states: DatasetStates,
  known: PublicQueries,
  { queries, exportBytes }: Pick<Upstream, 'queries' | 'exportBytes'>,
): Route[] {
  return [
    route({
      method: 'post',
      path: '/public/queries',
      caller: 'optional',
      targets: ['esd.dataset.v1.QueryService'],
      describe: {
        tag: 'Queries',
        summary: 'Create a public query',
        details:
          'Stores the records of the latest dataset or a release that match a filter, under an id that can be cited. Later publications do not change the query. An equal request with the same records returns the existing query. Without an account, a client can create 20 queries a day.',
        returns: 'The new query.',
        status: 201,
        alternative: { status: 200, returns: 'The existing query.', answer: publicQuery },
        answerHeaders: { Location: 'The URL of the query.' },
        errors: ['VERSION_NOT_FOUND'],
        example: { body: { filter: { polymer: 'PVDF', voltageMin: 15 }, sort: '-voltage' } },
      },
      body: jsonBody(createBody, BODY_BYTES),
      answer: publicQuery,
      handle: async ({ body: { filter, sort = [], fields = [], version, repeats }, request, call }, response) => {
        const { query, created } = await queries.createQuery(
          {
            filterJson: filter?.text,
            filter: filterToWire(filter?.conditions ?? []),
            sort: [...sort],
            fields: [...fields],
            version: version === LATEST ? undefined : version,
            atLeast: states.latest(),
            once: repeats === 'once',
          },
          call,
        );
        const made = wholeQuery(query);
        const url = `${selfUrl(request).replace(/\/$/, '')}/${made.id}`;
        response
          .status(created ? 201 : 200)
          .set({ Location: url, 'Cache-Control': 'no-store' })
          .json(queryAnswer(made, url));
      },
    }),
    route({
      method: 'get',
      path: '/public/queries/:id',
      caller: 'ignored',
      describe: {
        ...ofQuery,
        summary: 'Get a public query',
        details: 'A query never changes. `docs/explore.md` in the repository explains how the digest is computed.',
        returns: 'The query.',
        redirects: {
          status: 303,
          when: '`Accept` names text/html and prefers it to JSON. The web page is at `Location`.',
        },
        answerHeaders: stateHeaders,
      },
      parameters: queryId,
      answer: publicQuery,
      handle: async ({ parameters: { id }, request, call }, response) => {
        const found = await known.find(id, call);
        response.vary('Accept');
        if (prefersPage(request)) {
          const page = `${publicPath(request.exchange)}/query/${id}`;
          response.status(303).set({ Location: page, 'Cache-Control': 'no-cache' }).end();
          return;
        }
        const answer = queryAnswer(found, selfUrl(request).replace(/\/$/, ''));
        const tag = textTag(JSON.stringify(answer));
        const revision = String(found.state.revision);
        response.set({ ETag: `"${tag}"`, 'Cache-Control': IMMUTABLE, [DATASET_REVISION]: revision });
        if (isCurrent(request, tag)) response.status(304).end();
        else response.json(answer);
      },
    }),
    route({
      method: 'get',
      path: '/public/queries/:id/records',
      caller: 'ignored',
      describe: {
        ...ofQuery,
        summary: 'Get a page of records from a public query',
        details: 'The records have the order and the members of the query. They never change.',
        returns: 'The page.',
        answerHeaders: { ...pagedHeaders, ...stateHeaders },
        example: { parameters: { ...EXAMPLE.parameters, limit: 5 } },
      },
      parameters: queryId,
      query: z.object({
        ...pageQuery.shape,
        whole: z.enum(['true', 'false']).optional().meta({
          description:
            'With `true`, records have all their members, regardless of `fields` of the query. The digest is computed over these records.',
        }),
      }),
      answer: recordPage,
      handle: async ({ parameters: { id }, query: { skip, limit, whole }, request, call }, response) => {
        const query = await known.find(id, call);
        const fields = whole === 'true' ? undefined : fieldsOf(query);
        const fixed = {
          state: query.state,
          version: `query-${id}`,
          cacheControl: IMMUTABLE,
          isFixed: true,
          queryId: id,
        };
        const parameters = whole === undefined ? {} : { whole };
        const question = {
          skip,
          limit,
          filter: [],
          filterText: undefined,
          ...(fields && { fields }),
          fixed,
          parameters,
        };
        await pages(question, request, response, call);
      },
    }),
    route({
      method: 'get',
      path: '/public/queries/:id/export',
      caller: 'ignored',
      limit: 'exports',
      describe: {
        ...ofQuery,
        summary: 'Download the records of a public query as a file',
        details: 'A query with `fields` is available only as `json`.',
        returns: 'With `json`, an array of the records in the order of the query; with the other formats, the file.',
        otherTypes: fileTypes,
        answerHeaders: fileHeaders,
        ranges: true,
        example: { parameters: { ...EXAMPLE.parameters, format: 'json' } },
      },
      parameters: queryId,
      query: z.object({ format: exportFormat }),
      answer: records,
      handle: async ({ parameters: { id }, query: { format }, request, call }, response) => {
        const fields = fieldsOf(await known.find(id, call));
        const source = { $case: 'queryId', value: id } as const;
        await exportBytes(exportRequest({ format, fields, source }), request, response, call);
      },
    }),
  ];
}

function isCurrent(request: Request, tag: string): boolean {
  return matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag);
}

/** Returns the response for a query, whose public URL is `url`. */
export function queryAnswer(query: PublicQuery, url: string): z.output<typeof publicQuery> {
  const { id, filterJson, sort, fields, once, version, state, recordCount, digest, createdAt } = query;
  return {
    id,
    // Validated when the query was created.
    filter: z.looseObject({}).parse(JSON.parse(filterJson)),
    ...(sort === undefined ? {} : { sort }),
    ...(fields === undefined ? {} : { fields }),
    ...(once ? { repeats: 'once' } : {}),
    version,
    datasetRevision: state.revision,
    recordCount,
    digest,
    digestMethod: DIGEST_METHOD,
    createdAt: createdAt.toISOString(),
    url,
  };
}
