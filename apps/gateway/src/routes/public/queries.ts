import { LATEST } from '@esd/api/release-name';
import { fieldsQuery, repeatsQuery, sortQuery } from '@esd/api/record-list';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Request } from 'express';
import { z } from 'zod';
import { MAX_BODY_FILTER_LENGTH, parseFilter } from '@esd/record/filter/parse-filter';
import { schemaReference } from '@esd/record/catalog/record-schema';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import type { publicQuery } from '@esd/api/queries';
import { DIGEST_METHOD, exportQuery, getQuery, getQueryRecords, storeQuery } from '@esd/api/queries';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { exportRequest } from '../../dataset/export-format.ts';
import { fieldsOf, type PublicQueries, type PublicQuery, wholeQuery } from '../../dataset/public-queries.ts';
import { IMMUTABLE } from '../../dataset/named-state.ts';
import { jsonBody } from '../../http/body/json-body.ts';
import { publicPath, selfUrl } from '../../http/public-url.ts';
import { prefersPage } from '../../pages/page-route.ts';
import type { Route } from '../../http/route.ts';
import type { RecordPages } from '../../reads/record-pages.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

/** The longest filter, each of its characters as an escape of six bytes, and the other members. */
const BODY_BYTES = 6 * MAX_BODY_FILTER_LENGTH + 16 * 1024;

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

export function publicQueryRoutes(
  pages: RecordPages,
  states: DatasetStates,
  known: PublicQueries,
  { queries, exportBytes }: Pick<Upstream, 'queries' | 'exportBytes'>,
): Route[] {
  return [
    serve(storeQuery, {
      targets: ['esd.dataset.v1.QueryService'],
      body: jsonBody(createBody, BODY_BYTES),
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
    serve(getQuery, {
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
    serve(getQueryRecords, {
      handle: async ({ parameters: { id }, query: { skip, limit, whole }, request, call }, response) => {
        const query = await known.find(id, call);
        const fields = whole === 'true' ? undefined : fieldsOf(query);
        const named = {
          state: query.state,
          version: `query-${id}`,
          cacheControl: IMMUTABLE,
          isPermanent: true,
          queryId: id,
        };
        await pages({ skip, limit, filter: [], fields, named }, request, response, call);
      },
    }),
    serve(exportQuery, {
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
