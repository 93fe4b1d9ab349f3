import { cellText } from '@esd/record/sheet/unreadable-cell';
import { ProblemList } from '@esd/record/validate/problems';
import { MAX_RECORDS } from '@esd/record/validate/validate-submission';
import { ServiceError } from '@esd/service/errors';
import { addMerged, MAX_BYTES } from './import-table.ts';
import type { Table } from './read-table.ts';

/**
 * Returns JSON `{rows: [{number, cells: [text]}], more}`: the header and at most 1,000 rows, and the number of further
 * rows. Only merged cells are problems. Throws PAYLOAD_TOO_LARGE beyond the maximum size of a submission.
 */
export async function tableCells({ name, items }: Table): Promise<{ json: Buffer; problems: ProblemList }> {
  const problems = new ProblemList();
  const rows: string[] = [];
  let bytes = 0;
  let more = 0;
  for await (const item of items) {
    if ('merged' in item) {
      addMerged(problems, name, item);
      continue;
    }
    if (item.cells.size === 0) continue;
    if (rows.length > MAX_RECORDS) {
      more += 1;
      continue;
    }
    const width = Math.max(...item.cells.keys()) + 1;
    const cells = Array.from({ length: width }, (_, at) => cellText(item.cells.get(at) ?? ''));
    const json = JSON.stringify({ number: item.number, cells });
    bytes += json.length;
    if (bytes > MAX_BYTES) {
      const message = `The rows up to row ${item.number} exceed ${MAX_BYTES} bytes, the maximum of a submission; split the file.`;
      throw new ServiceError('PAYLOAD_TOO_LARGE', message);
    }
    rows.push(json);
  }
  return { json: Buffer.from(`{"rows":[${rows.join(',')}],"more":${more}}`), problems };
}
