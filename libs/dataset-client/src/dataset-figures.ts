import { z } from 'zod';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { byCodePoint } from '@esd/record/filter/text-order';
import type { Paper, Variable } from '@esd/record/metadata/description';
import { isDoi, normalizeDoi } from '@esd/record/metadata/doi';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import type { DatasetRevision } from './dataset-state.ts';
import { exploreOne, type Question } from './explore-one.ts';
import { singleFlightCache } from './single-flight-cache.ts';

/** The papers and variables of a dataset state, for its metadata. */
export interface DatasetFigures {
  /** Distinct DOIs, in text order. */
  papers: readonly Paper[];
  /** The features that have values. */
  variables: readonly Variable[];
}

const MAX_CACHED = 50;
/** Maximum number of papers; no dataset in this field has that many. */
const MAX_PAPERS = 1_000_000;

const facets = z.object({ facets: z.object({ doi: z.object({ values: z.array(z.object({ value: z.string() })) }) }) });
const statistics = z.object({
  statistics: z.record(z.string(), z.object({ min: z.number().nullable(), max: z.number().nullable() })),
});

/** Returns a function that finds the papers and ranges of a state, cached. Throws errors of dataset-svc. */
export function datasetFigures(
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>,
): (state: DatasetRevision, call: CallOptions) => Promise<DatasetFigures> {
  const cachedFigures = singleFlightCache<DatasetFigures>(MAX_CACHED);
  const ask = async (
    { datasetId, revision }: DatasetRevision,
    question: Question,
    // Shared call: do not abort it when the first caller disconnects.
    { requestId, deadline }: CallOptions,
  ): Promise<unknown> => {
    const of = { question, revision, atLeast: { datasetId, revision } };
    const { answerJson } = await exploreOne(dataset, of, { requestId, deadline });
    return JSON.parse(Buffer.from(answerJson).toString());
  };
  const find = async (state: DatasetRevision, call: CallOptions): Promise<DatasetFigures> => {
    const features = featureFacts.map(({ feature }) => feature);
    const [counted, figures] = await Promise.all([
      ask(state, { $case: 'facets', value: { keys: ['doi'], limit: MAX_PAPERS } }, call),
      ask(state, { $case: 'statistics', value: { features } }, call),
    ]);
    const texts = facets.parse(counted).facets.doi.values.map(({ value }) => value);
    const dois = new Set(texts.filter(isDoi).map(normalizeDoi));
    const ranges = statistics.parse(figures).statistics;
    return {
      papers: [...dois].sort(byCodePoint).map((doi) => ({ doi })),
      variables: featureFacts.flatMap((feature) => {
        const { min = null, max = null } = ranges[feature.feature] ?? {};
        return min === null || max === null ? [] : [{ feature, min, max }];
      }),
    };
  };
  return (state, call) => cachedFigures(`${state.datasetId}.${state.revision}`, () => find(state, call));
}
