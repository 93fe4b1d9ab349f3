import { filterToWire } from '@esd/dataset-client/filter-wire';
import { requireRules } from '@esd/dataset-client/require-rules';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import type { FieldSelection } from '@esd/record/catalog/chosen-fields';
import type { SortKey } from '@esd/record/filter/sort-keys';
import { ServiceError } from '@esd/service/errors';
import { type DatasetStates, FRESH_MS } from '../dataset/dataset-states.ts';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { FixedState } from '../dataset/fixed-state.ts';
import type { Call } from '../http/call.ts';
import { SharedSignal } from '@esd/service/rpc/shared-signal';
import type { Upstream } from '../upstream/upstream.ts';

export interface PageQuestion {
  skip: number;
  limit: number;
  filter: Filter;
  /** Absent or empty: ascending record id. */
  sort?: readonly SortKey[];
  normalized?: boolean;
  fields?: FieldSelection;
  /** Whether each group of records that repeat each other is one record, that with the lowest id. */
  once?: boolean;
  /** The page begins after this record id; `skip` is then 0. */
  after?: number | undefined;
  /** Absent: the newest state. */
  fixed?: FixedState;
}

/** The records in the first message of a page: all of them, unless they are too large for one message. */
export interface FirstPart {
  state: DatasetRevision;
  total: number;
  records: number;
  recordsJson: Buffer;
  /** With `after`: the number of matching records before the page. */
  before: number | undefined;
  /** With `after`: the id after which the next page begins, if there is one. */
  nextAfter: number | undefined;
}

/**
 * Reads the first part of a page at the state `wanted` or a newer one; without `wanted`, at the newest state. `part`
 * identifies filter and position. Concurrent requests for the same page share one call.
 */
export type PageReads = (
  part: string,
  question: PageQuestion,
  wanted: DatasetRevision | undefined,
  call: Call,
) => Promise<FirstPart>;

interface Running {
  answer: Promise<FirstPart>;
  callers: SharedSignal;
  startedAt: number;
}

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
  fixed,
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
    snapshotId: fixed?.snapshotId,
    queryId: fixed?.queryId,
  };
}

/** Reads the first part of a page at the state of the question, and observes the newest state. */
export async function readFirstPart(
  dataset: Pick<Upstream['dataset'], 'queryRecords'>,
  states: DatasetStates,
  question: PageQuestion,
  call: Pick<Call, 'requestId' | 'deadline' | 'signal'>,
): Promise<FirstPart> {
  const { fixed } = question;
  const requestedAt = performance.now();
  const { state, total, records, recordsJson, before, nextAfter, rules } = await dataset.queryRecords(
    { ...recordsQuery(question), revision: fixed?.state.revision, atLeast: fixed ? undefined : states.latest() },
    call,
  );
  requireRules(rules);
  const found = state ?? fixed?.state;
  if (!found) throw new ServiceError('UNAVAILABLE', 'The dataset service did not return its revision. Try again.');
  if (state && !fixed) states.observe(state, requestedAt);
  return { state: found, total, records, recordsJson, before, nextAfter };
}

export function pageReads(dataset: Pick<Upstream['dataset'], 'queryRecords'>, states: DatasetStates): PageReads {
  const running = new Map<string, Running>();
  const start = (part: string, question: PageQuestion, call: Call): Running => {
    const callers = new SharedSignal();
    callers.add(call.signal);
    const { requestId, deadline } = call;
    const answer = readFirstPart(dataset, states, question, { requestId, deadline, signal: callers.signal });
    const one: Running = { answer, callers, startedAt: performance.now() };
    running.set(part, one);
    const end = (): void => {
      if (running.get(part) === one) running.delete(part);
    };
    one.answer.then(end, end);
    return one;
  };
  return async (part, question, wanted, call) => {
    const key = question.fixed ? `${question.fixed.state.datasetId}.${part}` : part;
    const known = running.get(key);
    if (!known || known.callers.signal.aborted) return start(key, question, call).answer;
    known.callers.add(call.signal);
    if (question.fixed || performance.now() - known.startedAt < FRESH_MS) {
      const shared = await known.answer;
      if (question.fixed || !wanted || isAtLeast(shared.state, wanted)) return shared;
    } else {
      // The running call may predate a change that this request must see.
      const [shared, newest] = await Promise.all([known.answer, states.current(call)]);
      if (isAtLeast(shared.state, newest)) return shared;
    }
    const again = running.get(key);
    if (!again || again === known || again.callers.signal.aborted) return start(key, question, call).answer;
    again.callers.add(call.signal);
    return again.answer;
  };
}

function isAtLeast(state: DatasetRevision, than: DatasetRevision): boolean {
  return state.datasetId === than.datasetId && state.revision >= than.revision;
}
