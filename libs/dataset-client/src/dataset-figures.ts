import { z } from 'zod';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { byCodePoint } from '@esd/record/filter/text-order';
import { canBeCited, oneLine, type Paper, type Variable } from '@esd/record/metadata/description';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import type { DatasetRevision } from './dataset-state.ts';
import { exploreOne, type Question } from './explore-one.ts';
import { hasImages } from './has-images.ts';
import { singleFlightCache } from './single-flight-cache.ts';

/** The papers, variables, and images of a dataset state, for its metadata. */
export interface DatasetFigures {
  /** The papers with a DOI or a URL, in text order. */
  papers: readonly Paper[];
  /** The features that have values. */
  variables: readonly Variable[];
  hasImages: boolean;
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
    state: DatasetRevision,
    { question, papers }: { question: Question; papers: boolean },
    call: CallOptions,
  ): Promise<{ answer: unknown; known: unknown }> => {
    const { answerJson, papersJson } = await exploreOne(dataset, { question, papers, ...at(state) }, shared(call));
    return { answer: parsed(answerJson), known: papersJson ? parsed(papersJson) : [] };
  };
  const find = async (state: DatasetRevision, isTitled: boolean, call: CallOptions): Promise<DatasetFigures> => {
    const features = featureFacts.map(({ feature }) => feature);
    const [counted, figures, has] = await Promise.all([
      ask(
        state,
        { question: { $case: 'facets', value: { keys: ['doi'], limit: MAX_PAPERS } }, papers: isTitled },
        call,
      ),
      ask(state, { question: { $case: 'statistics', value: { features } }, papers: false }, call),
      hasImages(dataset, at(state), shared(call)),
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
      hasImages: has,
    };
  };
  return (state, listState, call) => {
    const key = `${state.datasetId}.${state.revision}.${listState?.revision ?? ''}`;
    return cachedFigures(key, () => find(state, listState !== undefined, call));
  };
}

function at({ datasetId, revision }: DatasetRevision) {
  return { revision, atLeast: { datasetId, revision } };
}

/** Returns a call that is not aborted when the first of its callers disconnects. */
function shared({ requestId, deadline }: CallOptions): CallOptions {
  return { requestId, deadline };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
