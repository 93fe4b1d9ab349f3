import type { ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import { ServiceError } from '@esd/service/errors';
import { LRUCache } from 'lru-cache';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import type { Reading, ReadIndex, StateSeen } from '../read-index/read-index.ts';
import { requireCategory } from './categories.ts';
import { facets } from './facets.ts';

/** What is asked of the records that match a filter, and at which state; see ExploreRequest. */
export interface Exploration {
  filter: Filter;
  question?: ExploreRequest['question'];
  /** What the answer says as its version. */
  version: string;
  revision?: number | undefined;
  atLeast?: StateSeen | undefined;
}

export interface Explorer {
  /** The answer as JSON. Throws INVALID_PARAMETER for what cannot be asked, UNAVAILABLE as the read index does. */
  answer(exploration: Exploration): Promise<{ state: DatasetState; answerJson: Buffer }>;
}

const KEPT_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 500;

/** Answers questions about the records that match. Answers over all records are kept: each is made once a revision. */
export function openExplorer(index: Pick<ReadIndex, 'ask'>): Explorer {
  const kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (json, key) => json.length + key.length + ENTRY_BYTES,
  });
  return {
    answer: async ({ filter, question, version, ...of }) => {
      if (!question) throw new ServiceError('INVALID_REQUEST', 'A question is needed.');
      const { state, answer } = await index.ask(of, async (reading) => {
        if (filter.length > 0) return answerOf(reading, filter, question, version);
        const { datasetId, revision } = reading.state;
        const key = JSON.stringify([datasetId, revision, version, question]);
        const known = kept.get(key);
        if (known) return known;
        const made = await answerOf(reading, filter, question, version);
        kept.set(key, made);
        return made;
      });
      return { state, answerJson: answer };
    },
  };
}

async function answerOf(
  reading: Reading,
  filter: Filter,
  question: NonNullable<ExploreRequest['question']>,
  version: string,
): Promise<Buffer> {
  switch (question.$case) {
    case 'facets': {
      const { keys, limit } = question.value;
      const { total, ...rest } = await facets(reading, filter, { keys: keys.map(requireCategory), limit });
      return json({ total, version, ...rest });
    }
  }
}

function json(answer: object): Buffer {
  return Buffer.from(JSON.stringify(answer));
}
