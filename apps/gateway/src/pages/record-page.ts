import { exploreOne } from '@esd/dataset-client/explore-one';
import type { RecordPage, PublishedRevision } from '@esd/pages/page';
import type { RecordContext } from '@esd/pages/record-context';
import type { RecordRevision } from '@esd/proto/esd/dataset/v1/dataset';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { parseJson } from '../dataset/parse-json.ts';
import type { Call } from '../http/call.ts';
import type { DescribedRecord, Descriptions } from '../metadata/descriptions.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { changedFields } from './changed-fields.ts';
import { readKnown } from '../metadata/read-known.ts';

// The number of bars that fit in a strip.
const BINS = 30;
const NEIGHBORS = 20;

/** Creates the loader of a record page. Throws VERSION_NOT_FOUND and RECORD_NOT_FOUND. */
export function recordPages(
  { dataset }: Pick<Upstream, 'dataset'>,
  states: DatasetStates,
  descriptions: Descriptions,
): (version: string, recordId: number, call: Call) => Promise<{ page: RecordPage; found: DescribedRecord['found'] }> {
  return async (version, recordId, call) => {
    const { datasetRevision, found, paper, ...described } = await descriptions.ofRecord(version, recordId, call);
    const question = { $case: 'recordContext', value: { recordId, bins: BINS, neighbors: NEIGHBORS } } as const;
    const [{ answerJson, ...others }, { revisions }] = await Promise.all([
      exploreOne(
        dataset,
        { question, revision: datasetRevision, atLeast: states.latest(), papers: true, names: true },
        call,
      ),
      dataset.getRecordHistory({ recordId, revision: datasetRevision }, call),
    ]);
    const context = parseJson<RecordContext>(answerJson);
    const { papers, substances } = readKnown(others);
    const known = { papers: [...(paper ? [paper] : []), ...papers], substances };
    return { page: { kind: 'record', ...described, context, known, history: revisions.map(revisionOf) }, found };
  };
}

function revisionOf({
  recordRevision,
  publishedAt,
  versions,
  changes,
  changesJson,
}: RecordRevision): PublishedRevision {
  if (!publishedAt) throw new Error('the published revision has no publication time');
  return {
    revision: recordRevision,
    publishedAt: publishedAt.toISOString(),
    versions,
    changes: changes === undefined ? undefined : { total: changes, first: changedFields(changesJson) },
  };
}
