import { z } from 'zod';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { byCodePoint } from '@esd/record/filter/text-order';
import { canBeCited, oneLine, type Paper, type Variable } from '@esd/record/metadata/description';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import type { DatasetRevision } from './dataset-state.ts';
import { exploreOne, type Question } from './explore-one.ts';
import { singleFlightCache } from './single-flight-cache.ts';

/** The papers and variables of a dataset state, for its metadata. */
export interface DatasetFigures {
  /** The papers with a DOI or a URL, in text order. */
  papers: readonly Paper[];
  /** The features that have values. */
  variables: readonly Variable[];
}

const MAX_CACHED = 50;
/** Maximum number of papers; no dataset in this field has that many. */
const MAX_PAPERS = 1_000_000;

const facets = z.object({ facets: z.object({ doi: z.object({ values: z.array(z.object({ value: z.string() })) }) }) });
const knownPapers = z.array(z.object({ doi: z.string(), title: z.string().optional() }));
const statistics = z.object({
  statistics: z.record(z.string(), z.object({ min: z.number().nullable(), max: z.number().nullable() })),
});

/**
 * Returns a function that finds the papers and ranges of a state, cached. With `listState`, papers have their titles in the newest
 * list of papers; the state is part of the cache key. Throws errors of dataset-svc.
 */
export function datasetFigures(
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>,
): (state: DatasetRevision, listState: DatasetRevision | undefined, call: CallOptions) => Promise<DatasetFigures> {
  const cachedFigures = singleFlightCache<DatasetFigures>(MAX_CACHED);
  const ask = async (
    { datasetId, revision }: DatasetRevision,
    { question, papers }: { question: Question; papers: boolean },
    // Shared call: do not abort it when the first caller disconnects.
    { requestId, deadline }: CallOptions,
  ): Promise<{ answer: unknown; known: unknown }> => {
    const of = { question, revision, atLeast: { datasetId, revision }, papers };
    const { answerJson, papersJson } = await exploreOne(dataset, of, { requestId, deadline });
    return { answer: parsed(answerJson), known: papersJson ? parsed(papersJson) : [] };
  };
  const find = async (state: DatasetRevision, isTitled: boolean, call: CallOptions): Promise<DatasetFigures> => {
    const features = featureFacts.map(({ feature }) => feature);
    const [counted, figures] = await Promise.all([
      ask(
        state,
        { question: { $case: 'facets', value: { keys: ['doi'], limit: MAX_PAPERS } }, papers: isTitled },
        call,
      ),
      ask(state, { question: { $case: 'statistics', value: { features } }, papers: false }, call),
    ]);
    const texts = facets.parse(counted.answer).facets.doi.values.map(({ value }) => value);
    const titles = new Map(knownPapers.parse(counted.known).map(({ doi, title }) => [doi, title]));
    const ranges = statistics.parse(figures.answer).statistics;
    return {
      papers: texts
        .filter(canBeCited)
        .sort(byCodePoint)
        .map((doi) => {
          const title = titles.get(doi);
          return { doi, ...(title === undefined ? {} : { title: oneLine(title) }) };
        }),
      variables: featureFacts.flatMap((feature) => {
        const { min = null, max = null } = ranges[feature.feature] ?? {};
        return min === null || max === null ? [] : [{ feature, min, max }];
      }),
    };
  };
  return (state, listState, call) => {
    const key = `${state.datasetId}.${state.revision}.${listState?.revision ?? ''}`;
    return cachedFigures(key, () => find(state, listState !== undefined, call));
  };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
