import type {
  DatasetServiceService,
  ExploreQuestion,
  ExploreRequest,
  ExploreResponse,
  PapersQuestion,
} from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { filterToWire } from './filter-wire.ts';

export type Question = NonNullable<ExploreQuestion['question']>;

interface OneQuestion extends Pick<ExploreRequest, 'revision' | 'atLeast' | 'queryId' | 'papers' | 'names'> {
  question: Question;
  /** Default: every record. */
  filter?: Filter;
  /** The `version` that the answer reports. */
  version?: string;
  /** Whether each group of records that repeat each other counts once. Default: true. */
  once?: boolean;
}

/**
 * Asks dataset-svc one question about the matching records. Returns the answer (JSON in UTF-8) and its state; with `papers` and `names`,
 * also what is known about papers and substances.
 */
export async function exploreOne(
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>,
  { question, filter = [], version = '', once = true, ...of }: OneQuestion,
  call: CallOptions,
): Promise<Pick<ExploreResponse, 'state' | 'papersJson' | 'namesJson'> & { answerJson: Uint8Array }> {
  const { state, answersJson, papersJson, namesJson } = await dataset.explore(
    {
      ...of,
      version,
      filter: filterToWire(filter),
      questions: [{ question }],
      records: undefined,
      recordIds: [],
      once,
    },
    call,
  );
  const [answerJson] = answersJson;
  if (!answerJson) throw new Error('dataset-svc did not answer the question');
  return { state, answerJson, papersJson, namesJson };
}

/** Returns a question about papers: by default the first ones by number of records, descending. */
export function papersQuestion(value: Partial<PapersQuestion> & Pick<PapersQuestion, 'limit'>): Question {
  const defaults = { skip: 0, sort: 'records', descending: true, design: false, citations: false };
  return { $case: 'papers', value: { ...defaults, ...value } };
}
