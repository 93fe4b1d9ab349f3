import { type FieldSelection, fieldPicker } from '@esd/record/catalog/chosen-fields';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { yieldAfterSlice } from '../read-index/slices.ts';
import type { RowOfRecord } from '../read-index/columns.ts';
import type { ReadIndex } from '../read-index/read-index.ts';

const COMMA = Buffer.of(0x2c);
const BRACE = 0x7d;
// The beginning of `publicRecordJson`. 40 bytes are enough for every id.
const OPENING = /^\{"recordId":(\d+),/;
const OPENING_BYTES = 40;

/** Joins bodies with commas. */
export function commaSeparated(bodies: readonly Buffer[]): Buffer {
  return Buffer.concat(bodies.flatMap((body, index) => (index === 0 ? [body] : [COMMA, body])));
}

/** Reduces bodies to the chosen members, see `fieldPicker`. */
export async function withFields(fields: FieldSelection, bodies: readonly Buffer[]): Promise<Buffer[]> {
  const pick = fieldPicker(fields);
  const parts: Buffer[] = [];
  for (const body of bodies) {
    parts.push(Buffer.from(JSON.stringify(pick(JSON.parse(body.toString())))));
    await yieldAfterSlice();
  }
  return parts;
}

/** Appends a member `normalized` to bodies: the features of each row from the index, without absent ones. */
export async function withNormalized(
  index: Pick<ReadIndex, 'featuresOf'>,
  rowIds: readonly number[],
  bodies: readonly Buffer[],
): Promise<Buffer[]> {
  return withMember('normalized', bodies, await index.featuresOf(rowsOf(rowIds, bodies)));
}

/** Appends a member `paper` to bodies: the values of the paper of each row at a dataset revision, without absent ones. */
export async function withPaper(
  index: Pick<ReadIndex, 'papersOf'>,
  revision: number,
  rowIds: readonly number[],
  bodies: readonly Buffer[],
): Promise<Buffer[]> {
  return withMember('paper', bodies, await index.papersOf(rowsOf(rowIds, bodies), revision));
}

async function withMember(name: string, bodies: readonly Buffer[], values: readonly object[]): Promise<Buffer[]> {
  const extended: Buffer[] = [];
  for (const [at, body] of bodies.entries()) {
    if (body.at(-1) !== BRACE) throw new Error('a record body is not a JSON object');
    const member = `,"${name}":${JSON.stringify(values[at])}}`;
    extended.push(Buffer.concat([body.subarray(0, -1), Buffer.from(member)]));
    await yieldAfterSlice();
  }
  return extended;
}

function rowsOf(rowIds: readonly number[], bodies: readonly Buffer[]): RowOfRecord[] {
  return bodies.map((body, at) => ({ rowId: rowIds[at] ?? 0, recordId: recordIdOf(body) }));
}

function recordIdOf(body: Buffer): number {
  const [, digits] = OPENING.exec(body.toString('latin1', 0, OPENING_BYTES)) ?? [];
  return digits === undefined ? parsePublicRecord(body.toString()).recordId : Number(digits);
}
