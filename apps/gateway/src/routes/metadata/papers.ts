import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { refusalError } from '@esd/service/rpc/rpc-errors';
import { z } from 'zod';
import { CSL_TYPE, importPapers, listMissingPapers, listPapers } from '@esd/api/papers';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { jsonBytes, jsonType, SUBMISSION_BYTES, SUBMISSION_MEMBERS } from '../../http/body/json-body.ts';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import { sendTextChunks } from '../../http/send-text-chunks.ts';
import { stateTag, taggedState } from '../../http/state-tag.ts';
import { citationChunks } from '../../reads/citation-file.ts';
import { paperEntryOf, paperFactsOf } from '../../schemas/paper.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

const PAGE = 1_000;
const cslItems = z.array(z.looseObject({ title: z.string(), DOI: z.string().optional() })).meta({
  description: 'CSL-JSON: 1 to 1,000 papers, each with `title`, and `DOI` or the `URL` by which the dataset names it.',
});

export function paperListRoutes(
  { reference }: Pick<Upstream, 'reference'>,
  states: Pick<DatasetStates, 'observe'>,
): Route[] {
  return [
    serve(listPapers, {
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
          response
            .set('Link', pageLinks(request, { skip, limit, total: page.total }))
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
    serve(importPapers, {
      targets: ['esd.dataset.v1.ReferenceService'],
      body: jsonBytes(SUBMISSION_BYTES, cslItems, SUBMISSION_MEMBERS, jsonType('application/json', CSL_TYPE)),
      handle: async ({ body, call }, response) => {
        const { outcome } = await reference.importPapers({ cslJson: body }, call);
        if (outcome?.$case === 'refusal') throw refusalError(outcome.value);
        if (!outcome) throw new Error('the response has no outcome');
        const { state, ...counts } = outcome.value;
        if (state) states.observe(state);
        response.json(counts);
      },
    }),
    serve(listMissingPapers, {
      targets: ['esd.dataset.v1.ReferenceService'],
      handle: async ({ query: { skip, limit }, request, call }, response) => {
        const { papers, total } = await reference.listMissingPapers({ skip, limit }, call);
        const data = papers.map(({ lastAt, nextAt, ...paper }) => ({
          ...paper,
          lastAt: lastAt?.toISOString(),
          nextAt: nextAt?.toISOString(),
        }));
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data, total, skip, limit });
      },
    }),
  ];
}
