import type { References } from '@esd/record/reference/reference';
import { readNamedSheet } from '@esd/record/sheet/read-named-sheet';
import type { ProblemList } from '@esd/record/validate/problems';
import { JsonParts } from './json-parts.ts';
import { openFile, readRows } from './open-file.ts';

/**
 * Reads the first sheet of a file, whose headings are the names of columns. Returns the records as a JSON array, which
 * is valid only if there are no problems. Throws the errors of `openFile`, and PAYLOAD_TOO_LARGE beyond the maximum size
 * of a submission.
 */
export async function importTable(
  bytes: Buffer,
  references: References,
): Promise<{ json: Buffer; problems: ProblemList }> {
  const [sheet] = await openFile(bytes, true);
  const { grid } = await readRows(sheet);
  const { records, problems } = readNamedSheet(grid, sheet.file.sheet ?? undefined, references);
  const json = new JsonParts();
  for (const [at, { row, item }] of records.entries()) {
    json.add(`${at === 0 ? '[' : ',\n'}${JSON.stringify(item)}`, `The records up to row ${row} exceed`);
  }
  return { json: json.whole(records.length === 0 ? '[]' : ']'), problems };
}
