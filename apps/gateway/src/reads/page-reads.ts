import { filterToWire } from '@esd/dataset-client/filter-wire';
import { requireRules } from '@esd/dataset-client/require-rules';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import type { FieldSelection } from '@esd/record/catalog/chosen-fields';
import type { SortKey } from '@esd/record/filter/sort-keys';
import { type DatasetStates, FRESH_MS, requireState } from '../dataset/dataset-states.ts';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { NamedState } from '../dataset/named-state.ts';
import type { Call } from '../http/call.ts';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import type { Upstream } from '../upstream/upstream.ts';

export interface PageQuestion {
  skip: number;
  limit: number;
  filter: Filter;
  /** Absent or empty: ascending record id. */
  sort?: readonly SortKey[];
  normalized?: boolean;
  fields?: FieldSelection | undefined;
  /** Whether each group of records that repeat each other is one record, that with the lowest id. */
  once?: boolean;
  /** The page begins after this record id; `skip` is then 0. */
  after?: number | undefined;
  /** Absent: the newest state. */
  named?: NamedState | undefined;
}

/** The records in the first response to a page: all of them, unless they have more than 2 MB. */
export interface FirstPart {
  state: DatasetRevision;
  total: number;
  recordCount: number;
  recordsJson: Buffer;
  /** With `after`: the number of matching records before the page. */
  before: number | undefined;
  /** With `after`: the id after which the next page begins, if there is one. */
  nextAfter: number | undefined;
}

/**
 * Reads the first part of a page at the state `wanted` or a newer one; without `wanted`, at the newest state. `part`
 * identifies the question, as in the entity tag of the page. Concurrent requests for the same page share one call.
 */
export type PageReads = (
  part: string,
  question: PageQuestion,
  wanted: DatasetRevision | undefined,
  call: Call,
) => Promise<FirstPart>;

/** Creates the request to dataset-svc for a page at the newest state. */
export function recordsQuery({
  skip,
  limit,
  filter,
  sort = [],
  normalized = false,
  fields = [],
  once = false,
  after,
  named,
}: PageQuestion): QueryRecordsRequest {
  return {
    skip,
    limit,
    filter: filterToWire(filter),
    sort: [...sort],
    afterRecordId: after,
    normalized,
    fields: [...fields],
    once,
    revision: undefined,
    atLeast: undefined,
    snapshotId: named?.snapshotId,
    queryId: named?.queryId,
  };
}

/** Reads the first part of a page at the state of the question, and observes the newest state. */
export async function readFirstPart(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  states: DatasetStates,
  question: PageQuestion,
  call: Pick<Call, 'requestId' | 'deadline' | 'signal'>,
): Promise<FirstPart> {
  const { named } = question;
  const requestedAt = performance.now();
  const { state, total, records, recordsJson, before, nextAfter, rules } = await dataset.queryRecords(
    { ...recordsQuery(question), revision: named?.state.revision, atLeast: named ? undefined : states.latest() },
    call,
  );
  requireRules(rules);
  const found = requireState(state ?? named?.state);
  if (state && !named) states.observe(state, requestedAt);
  return { state: found, total, recordCount: records, recordsJson, before, nextAfter };
}

export function pageReads(dataset: Pick<Upstream['dataset'], 'queryRecords'>, states: DatasetStates): PageReads {
  const calls = new SharedCalls<FirstPart>();
  return async (part, question, wanted, call) => {
    const { requestId, deadline } = call;
    const key = question.named ? `${question.named.state.datasetId}.${part}` : part;
    const start = (signal: AbortSignal): Promise<FirstPart> =>
      readFirstPart(dataset, states, question, { requestId, deadline, signal });
    const shared = calls.join(key, call.signal, start);
    if (question.named) return shared.result;
    // A call that started earlier may predate a change that this request must see.
    const isRecent = performance.now() - shared.startedAt < FRESH_MS;
    const [page, newest] = await Promise.all([shared.result, isRecent ? wanted : states.current(call)]);
    if (!newest || isAtLeast(page.state, newest)) return page;
    return calls.join(key, call.signal, start, shared).result;
  };
}

function isAtLeast(state: DatasetRevision, than: DatasetRevision): boolean {
  return state.datasetId === than.datasetId && state.revision >= than.revision;
}
