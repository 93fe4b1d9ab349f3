import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ParsedItem } from '@esd/record/parse-row';
import { openTable, type TableRow } from '@esd/record/parse-table';
import { ProblemList } from '@esd/record/problems';
import type { References } from '@esd/record/reference';
import { MOST_RECORDS } from '@esd/record/validate-submission';
import { ServiceError } from '@esd/service/errors';
import { cellAddress } from './cell-address.ts';
import type { Table } from './read-table.ts';

/** As much as a submission may hold. */
const MOST_BYTES = 10 * 1024 * 1024;
/** How long the process is kept from its other work at once. */
const TURN_MS = 20;

/**
 * The records of a table as a JSON array of `experimentData` items, with all its problems: the array is good only when
 * there is none. Throws PAYLOAD_TOO_LARGE when it is more than a submission may hold, and the signal's reason when it
 * aborts.
 */
export async function importTable(
  { name, items }: Table,
  references: References,
  signal: AbortSignal,
): Promise<{ json: string; problems: ProblemList }> {
  const problems = new ProblemList();
  const placeName = (row: number, column?: number): string => cellAddress(name, row, column);
  const parts = { references, problems, placeName };
  let readRow: ((row: TableRow) => ParsedItem | undefined) | undefined;
  const records: string[] = [];
  let rows = 0;
  let bytes = 0;
  let turnEnds = performance.now() + TURN_MS;
  for await (const item of items) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
    signal.throwIfAborted();
    if ('cells' in item && item.cells.size === 0) continue;
    if ('merged' in item) {
      const message = () => 'Merged cells hold one value for several cells; unmerge them and fill each cell.';
      problems.add(item.merged === '' ? placeName(1) : merged(name, item.merged), 'INVALID_FORMAT', message);
      continue;
    }
    if (!readRow) {
      readRow = openTable(item, parts);
      continue;
    }
    if (rows === MOST_RECORDS) {
      const message = () => `At most ${MOST_RECORDS} records a file; split it, from this row on.`;
      problems.add(placeName(item.number), 'TOO_MANY_RECORDS', message);
      break;
    }
    rows += 1;
    const record = readRow(item);
    if (record === undefined) continue;
    const json = JSON.stringify(record);
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > MOST_BYTES) {
      const message = `The records up to row ${item.number} take more than the ${MOST_BYTES} bytes of a submission; split the file.`;
      throw new ServiceError('PAYLOAD_TOO_LARGE', message);
    }
    records.push(json);
  }
  if (rows === 0 && problems.count === 0) {
    const message = () =>
      'The sheet holds no records: the first row names the columns, and each row below is a record.';
    problems.add(placeName(1), 'MISSING_VALUE', message);
  }
  return { json: `[${records.join(',\n')}]`, problems };
}

function merged(sheet: string | undefined, range: string): string {
  return cellAddress(sheet, 1).replace('1:1', range);
}
