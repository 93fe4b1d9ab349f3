import { cellText } from '@esd/record/sheet/unreadable-cell';
import { ProblemList } from '@esd/record/validate/problems';
import { MAX_RECORDS } from '@esd/record/validate/validate-submission';
import { addMerged } from './import-table.ts';
import { JsonParts } from './json-parts.ts';
import type { Table } from './read-table.ts';

/**
 * Returns JSON `{rows: [{number, cells: [text]}], more}`: the header and at most 1,000 rows, and the number of further
 * rows. Only merged cells are problems. Throws PAYLOAD_TOO_LARGE beyond the maximum size of a submission.
 */
export async function tableCells({ name, items }: Table): Promise<{ json: Buffer; problems: ProblemList }> {
  const problems = new ProblemList();
  const json = new JsonParts();
  json.add('{"rows":[', 'The rows exceed');
  let rows = 0;
  let more = 0;
  for await (const item of items) {
    if ('merged' in item) {
      addMerged(problems, name, item);
      continue;
    }
    if (item.cells.size === 0) continue;
    if (rows > MAX_RECORDS) {
      more += 1;
      continue;
    }
    const width = Math.max(...item.cells.keys()) + 1;
    const cells = Array.from({ length: width }, (_, at) => cellText(item.cells.get(at) ?? ''));
    const row = JSON.stringify({ number: item.number, cells });
    json.add(`${rows === 0 ? '' : ','}${row}`, `The rows up to row ${item.number} exceed`);
    rows += 1;
  }
  return { json: json.whole(`],"more":${more}}`), problems };
}
