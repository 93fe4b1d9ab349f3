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

export interface Scan {
  state: DatasetState;
  matching: number;
  /** Throws after the last record if the number of records is not `matching`. */
  chunks: AsyncIterable<RecordChunk>;
  close(): Promise<void>;
}

export interface ScanRange {
  /** Absent for all records. */
  filter?: Filter | undefined;
  /** Absent for latest. */
  revision?: number | undefined;
  /** The minimum dataset revision. */
  atLeast?: { datasetId: string; revision: number } | undefined;
  /** The personal snapshot whose records are scanned. */
  snapshotId?: number | undefined;
  /** The public query whose records are scanned, in its order. */
  queryId?: string | undefined;
  /** Absent for all members, by ascending record id. */
  form?: RecordForm;
}

export interface RecordForm {
  /** Empty for ascending record id. */
  sort: SortKey[];
  /** Adds the features of each record as numbers. */
  normalized: boolean;
  /** Adds the year and journal of the paper of each record. */
  paper?: boolean;
  /** Empty for all members. */
  fields: string[];
  /** Whether each group of records that repeat each other is one record, that with the lowest id. */
  once: boolean;
}

export const PLAIN: RecordForm = { sort: [], normalized: false, fields: [], once: false };

interface ScanCall {
  requestId: string;
  /** Absent for background work. */
  clientIp?: string | undefined;
  signal: AbortSignal;
}

const FIRST_ANSWER_MS = 5_000;

/**
 * Opens a scan of the matching records. If the first records do not arrive within 5 s, retries once, on another replica
 * if there is one. Throws UNAVAILABLE if the retry fails too.
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
      throw new Error('the scan does not begin with its state');
    }
    const { part, matching, rules } = first.value;
    requireRules(rules);
    // The first chunk is read here, because a failed replica can only be replaced before the file begins.
    const firstChunk = await messages.next();
    return { state: part.value, matching, chunks: chunksOf(firstChunk, messages, matching), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export function isPlain({ sort, normalized, fields, once }: RecordForm): boolean {
  return sort.length === 0 && !normalized && fields.length === 0 && !once;
}

async function* chunksOf(
  first: IteratorResult<ScanRecordsResponse>,
  messages: AsyncIterator<ScanRecordsResponse>,
  matching: number,
): AsyncGenerator<RecordChunk> {
  let records = 0;
  for (let next = first; !next.done; next = await messages.next()) {
    if (next.value.part?.$case !== 'records') throw new Error('the scan contains a part other than records');
    records += next.value.part.value.recordsJson.length;
    yield next.value.part.value;
  }
  if (records !== matching) throw new Error(`the scan returned ${records} of ${matching} records`);
}
