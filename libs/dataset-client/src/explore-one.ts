import type {
  DatasetServiceService,
  DatasetState,
  ExploreQuestion,
  ExploreRequest,
} from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { filterToWire } from './filter-wire.ts';

export type Question = NonNullable<ExploreQuestion['question']>;

interface OneQuestion extends Pick<ExploreRequest, 'revision' | 'atLeast'> {
  question: Question;
  /** Default: every record. */
  filter?: Filter;
  /** The `version` that the answer reports. */
  version?: string;
  /** Whether each group of records that repeat each other counts once. Default: false. */
  once?: boolean;
}

/** Asks dataset-svc one question about the matching records. Returns the answer (JSON in UTF-8) and its state. */
export async function exploreOne(
  dataset: Pick<RpcClient<typeof DatasetServiceService>, 'explore'>,
  { question, filter = [], version = '', once = false, revision, atLeast }: OneQuestion,
  call: CallOptions,
): Promise<{ state: DatasetState | undefined; answerJson: Uint8Array }> {
  const { state, answersJson } = await dataset.explore(
    {
      revision,
      atLeast,
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
  return { state, answerJson };
}
