import type {
  DatasetServiceService,
  DatasetState,
  RecordChunk,
  ScanRecordsResponse,
  SortKey,
} from '@esd/proto/esd/dataset/v1/dataset';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { requireRules } from '@esd/dataset-client/require-rules';
import type { Filter } from '@esd/record/filter/filter';
import { ServiceError } from '@esd/service/errors';
import type { RpcClient } from '@esd/service/rpc/rpc-client';

export type DatasetReader = Pick<RpcClient<typeof DatasetServiceService>, 'scanRecords' | 'getHead'>;

/** A state of the dataset and the records that were asked for. */
export interface Scan {
  state: DatasetState;
  /** How many records match. */
  matching: number;
  /** Throws at the end when there were not `matching` records. */
  chunks: AsyncIterable<RecordChunk>;
  /** Ends the scan, finished or not. */
  close(): Promise<void>;
}

/** The records that are scanned. */
export interface ScanRange {
  /** Absent: every record. */
  filter?: Filter | undefined;
  /** Absent: the newest. */
  revision?: number | undefined;
  /** The state is this one or a newer one. */
  atLeast?: { datasetId: string; revision: number } | undefined;
  /** A personal snapshot, whose rows are those that are scanned. */
  snapshotId?: number | undefined;
  /** A public query, whose rows are those that are scanned, in its order. */
  queryId?: string | undefined;
  /** Absent: every member, by ascending record id. */
  form?: RecordForm;
}

/** How records come. */
export interface RecordForm {
  /** Empty: by ascending record id. */
  sort: SortKey[];
  /** Each record with its features as numbers. */
  normalized: boolean;
  /** Empty: every member. */
  fields: string[];
}

/** Records as they are. */
export const PLAIN: RecordForm = { sort: [], normalized: false, fields: [] };

interface ScanCall {
  requestId: string;
  /** The client that is answered; background work has none. */
  clientIp?: string | undefined;
  signal: AbortSignal;
}

const FIRST_ANSWER_MS = 5_000;

/**
 * Opens a scan of the records that match. Tried once more, on another copy where there is one, when no copy answers with the
 * state and the first records within 5 s; then UNAVAILABLE.
 */
export async function openScan(dataset: DatasetReader, range: ScanRange, call: ScanCall): Promise<Scan> {
  try {
    return await tryScan(dataset, range, call);
  } catch (error) {
    if (call.signal.aborted || !(error instanceof ServiceError) || error.code !== 'UNAVAILABLE') throw error;
    return tryScan(dataset, range, call);
  }
}

async function tryScan(
  dataset: DatasetReader,
  { filter = [], revision, atLeast, snapshotId, queryId, form = PLAIN }: ScanRange,
  { requestId, clientIp, signal }: ScanCall,
): Promise<Scan> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
  }, FIRST_ANSWER_MS);
  const messages = dataset
    .scanRecords(
      { filter: filterToWire(filter), revision, atLeast, snapshotId, queryId, ...form },
      { requestId, clientIp, signal: AbortSignal.any([signal, late.signal]) },
    )
    [Symbol.asyncIterator]();
  const close = async (): Promise<void> => {
    await messages.return?.();
  };
  try {
    const first = await messages.next();
    if (first.done || first.value.part?.$case !== 'state') {
      throw new Error('a scan that does not begin with its state');
    }
    const { part, matching, rules } = first.value;
    requireRules(rules);
    // A copy that goes now can be replaced by another; once a file has begun it cannot.
    const firstChunk = await messages.next();
    return { state: part.value, matching, chunks: chunksOf(firstChunk, messages, matching), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether records come as they are. */
export function isPlain({ sort, normalized, fields }: RecordForm): boolean {
  return sort.length === 0 && !normalized && fields.length === 0;
}

async function* chunksOf(
  first: IteratorResult<ScanRecordsResponse>,
  messages: AsyncIterator<ScanRecordsResponse>,
  matching: number,
): AsyncGenerator<RecordChunk> {
  let records = 0;
  for (let next = first; !next.done; next = await messages.next()) {
    if (next.value.part?.$case !== 'records') throw new Error('a scan with something else than records');
    records += next.value.part.value.recordsJson.length;
    yield next.value.part.value;
  }
  if (records !== matching) throw new Error(`the scan gave ${records} of ${matching} records`);
}
