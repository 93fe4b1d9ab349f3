import { paperDoi, paperEntry } from '@esd/api/paper';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { citationFiles } from '@esd/record/papers/citation-files';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { z } from 'zod';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { jsonBytes, jsonType, SUBMISSION_BYTES, SUBMISSION_MEMBERS } from '../../http/body/json-body.ts';
import { linkHeader, linkParameters } from '../../http/link-header.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from '@esd/api/paged-list';
import { selfUrl } from '../../http/public-url.ts';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import { sendTextChunks } from '../../http/send-text-chunks.ts';
import { stateTag, taggedState } from '../../http/state-tag.ts';
import { citationChunks } from '../../reads/citation-file.ts';
import { paperEntryOf, paperFactsOf } from '../../schemas/paper.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { refusalError } from './write.ts';

const PAGE = 1_000;
const CSL_TYPE = citationFiles['csl-json'].mediaType;

const searchedText = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text !== '' && text.length <= 2_000, 'must have 1 to 2,000 characters');
const papersQuery = z.object({
  doi: searchedText.optional().meta({ type: 'string', description: 'The DOI in any spelling.' }),
  query: searchedText
    .optional()
    .meta({ type: 'string', description: 'Any part of the title, an author, the journal or the DOI, in any case.' }),
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional().meta({ type: 'integer', minimum: 0, default: 0 }),
  limit: integerText(1, 1000).optional().meta({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  format: z
    .enum(['csl-json'])
    .optional()
    .meta({ description: 'The whole list as a CSL-JSON array. Without other parameters.' }),
});

const imported = z.strictObject({
  created: z.int().min(0),
  updated: z.int().min(0),
  unchanged: z.int().min(0),
});
const cslItems = z.array(z.looseObject({ title: z.string(), DOI: z.string().optional() })).meta({
  description: 'CSL-JSON: 1 to 1,000 papers, each with `title`, and `DOI` or the `URL` by which the dataset names it.',
});

const missingPaper = z.strictObject({
  doi: paperDoi,
  records: z.int().min(1),
  attempts: z.int().min(0).meta({ description: 'The number of lookups at the resolver.' }),
  lastAt: z.iso.datetime().optional(),
  nextAt: z.iso.datetime().optional().meta({ description: 'The time of the next lookup; absent if there is none.' }),
  problem: z.string().optional().meta({ description: 'Why the last lookup failed.' }),
});

export function paperListRoutes(
  { reference }: Pick<Upstream, 'reference'>,
  states: Pick<DatasetStates, 'observe'>,
): Route[] {
  return [
    route({
      method: 'get',
      path: '/metadata/papers',
      caller: 'ignored',
      describe: {
        tag: 'Reference lists',
        summary: 'List papers',
        details: 'The bibliographic facts of the papers that records name, as the list has them. Ordered by `doi`.',
        returns: 'A page of the list; with `format=csl-json`, the whole list as a CSL-JSON array.',
        otherTypes: [CSL_TYPE],
        answerHeaders: pagedHeaders,
        revalidates: true,
        example: { parameters: { limit: 5 } },
      },
      query: papersQuery,
      answer: pagedResponse(paperEntry),
      handle: async ({ query: { format, ...sent }, request, call }, response) => {
        const [other] = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [name]));
        if (format !== undefined && other !== undefined) {
          const message = `\`${other}\` cannot be combined with \`format=${format}\`, which returns the whole list; leave it out.`;
          throw new ServiceError('INVALID_PARAMETER', message);
        }
        const { doi, query, skip = 0, limit = 100 } = sent;
        const part = `papers.${format ?? textTag(JSON.stringify([doi, query, skip, limit]))}`;
        const clientTags = parseEntityTags(request.headers['if-none-match']);
        const known = taggedState(clientTags, part);
        const wanted = { doi, query, skip, limit: format === undefined ? limit : PAGE };
        let found = await reference.listPapers({ ...wanted, knownRevision: known?.revision }, call);
        // The known revision, from a tag of another dataset, has the same number.
        if (!found.page && found.datasetId !== known?.datasetId) found = await reference.listPapers(wanted, call);
        const tag = stateTag(found, part);
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache', [DATASET_REVISION]: String(found.revision) });
        if (matchesEntityTag(clientTags, tag)) {
          response.status(304).end();
          return;
        }
        const { page } = found;
        if (!page) throw new Error('the response has no page');
        if (format === undefined) {
          const parameters = linkParameters({ doi, query });
          response
            .set('Link', linkHeader(selfUrl(request), { skip, limit, total: page.total, parameters }))
            .json({ data: page.papers.map(paperEntryOf), total: page.total, skip, limit });
          return;
        }
        let next = page;
        const chunks = citationChunks(format, async (from) => {
          if (from > 0) {
            const after = next.papers.at(-1)?.doi;
            const more = await reference.listPapers({ skip: 0, limit: PAGE, after, revision: found.revision }, call);
            if (!more.page) throw new Error('the response has no page');
            next = more.page;
          }
          return { papers: next.papers.map(paperFactsOf), total: page.total };
        });
        await sendTextChunks(response, { 'Content-Type': CSL_TYPE }, chunks);
      },
    }),
    route({
      method: 'post',
      path: '/metadata/papers/import',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReferenceService'],
      describe: {
        tag: 'Reference lists',
        summary: 'Import papers',
        details:
          'Requires the role ADMIN. Adds and replaces all papers of a CSL-JSON array, or none if one has a problem. An import takes one dataset revision, or none if nothing changed. The body can also be `application/vnd.citationstyles.csl+json`.',
        returns: 'The numbers of new, replaced and equal entries.',
        errors: ['FORBIDDEN'],
        example: { body: [{ DOI: '10.1000/example', title: 'An example', author: [{ family: 'Doe', given: 'J.' }] }] },
      },
      body: jsonBytes(SUBMISSION_BYTES, cslItems, SUBMISSION_MEMBERS, jsonType('application/json', CSL_TYPE)),
      answer: imported,
      handle: async ({ body, call }, response) => {
        const { outcome } = await reference.importPapers({ cslJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value, 'import');
        if (!outcome) throw new Error('the response has no outcome');
        const { state, ...counts } = outcome.value;
        if (state) states.observe(state);
        response.json(counts);
      },
    }),
    route({
      method: 'get',
      path: '/admin/metadata/papers/missing',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.dataset.v1.ReferenceService'],
      describe: {
        tag: 'Reference lists',
        summary: 'List papers without an entry',
        details:
          'Requires the role ADMIN. The papers of the latest dataset that the list lacks, ordered by `doi`, with their lookups at the resolver.',
        returns: 'A page of papers.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
      },
      query: pagedQuery,
      answer: pagedResponse(missingPaper),
      handle: async ({ query: { skip, limit }, request, call }, response) => {
        const { papers, total } = await reference.listMissingPapers({ skip, limit }, call);
        const data = papers.map(({ lastAt, nextAt, ...paper }) => ({
          ...paper,
          lastAt: lastAt?.toISOString(),
          nextAt: nextAt?.toISOString(),
        }));
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total }) })
          .json({ data, total, skip, limit });
      },
    }),
  ];
}
