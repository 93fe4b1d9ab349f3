import { paperDoi, paperMembers } from '@esd/api/paper';
import { exploreOne, papersQuestion } from '@esd/dataset-client/explore-one';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Filter } from '@esd/record/filter/filter';
import { filterKey } from '@esd/record/filter/filter';
import { type CitationFileFormat, citationFiles } from '@esd/record/papers/citation-files';
import type { CitedPaper } from '@esd/record/papers/paper';
import { parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { NamedState } from '../dataset/named-state.ts';
import { type Call, timeFor } from '../http/call.ts';
import { sendTextChunks } from '../http/send-text-chunks.ts';
import { sendNotModified, stateTag } from '../http/state-tag.ts';
import type { Upstream } from '../upstream/upstream.ts';

const PAGE = 1_000;

const citations = z.object({
  data: z.array(
    z.object({
      doi: paperDoi,
      ...paperMembers,
      title: z.string().optional(),
      authors: paperMembers.authors.default([]),
    }),
  ),
  total: z.int(),
});

export interface CitationRequest {
  format: CitationFileFormat;
  filter: Filter;
  /** The state that is read. `named` is absent for the newest. */
  state: DatasetRevision;
  named: NamedState | undefined;
}

/** Sends the papers of the matching records as one citation file, ordered by DOI. Throws errors of dataset-svc. */
export async function sendCitationFile(
  dataset: Pick<Upstream['dataset'], 'explore'>,
  { format, filter, state, named }: CitationRequest,
  request: Request,
  response: Response,
  call: Call,
): Promise<void> {
  const { mediaType, nameEnding } = citationFiles[format];
  const name = named?.version ?? `latest-r${state.revision}`;
  const part = `citations.${format}.${textTag(JSON.stringify([name, filterKey(filter)]))}`;
  response.set('Cache-Control', named?.cacheControl ?? 'no-cache');
  if (sendNotModified(response, parseEntityTags(request.headers['if-none-match']), state, part)) return;
  const stem = ['electrospinning-dataset', name, ...(filter.length > 0 ? ['filtered'] : []), 'papers'].join('-');
  const headers = {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${stem}${nameEnding}"`,
    [DATASET_REVISION]: String(state.revision),
    ETag: `"${stateTag(state, part)}"`,
  };
  const pageAt = async (skip: number): Promise<{ papers: CitedPaper[]; total: number }> => {
    const question = papersQuestion({ skip, limit: PAGE, citations: true });
    const { answerJson } = await exploreOne(
      dataset,
      {
        question,
        filter,
        revision: state.revision,
        atLeast: { datasetId: state.datasetId, revision: state.revision },
        queryId: named?.queryId,
      },
      { requestId: call.requestId, signal: call.signal, deadline: Date.now() + timeFor('get') },
    );
    const { data, total } = citations.parse(JSON.parse(Buffer.from(answerJson).toString()));
    return { papers: data, total };
  };
  await sendTextChunks(response, headers, citationChunks(format, pageAt));
}

/** Yields the text of a citation file. `pageAt` returns the papers from a position on. */
export async function* citationChunks(
  format: CitationFileFormat,
  pageAt: (skip: number) => Promise<{ papers: readonly CitedPaper[]; total: number }>,
): AsyncGenerator<string, undefined> {
  const { opening, separator, closing, write } = citationFiles[format];
  let skip = 0;
  for (;;) {
    const { papers, total } = await pageAt(skip);
    yield (skip === 0 ? opening : separator) + papers.map(write).join(separator);
    skip += papers.length;
    if (papers.length === 0 || skip >= total) break;
  }
  if (closing !== '') yield closing;
  return undefined;
}
