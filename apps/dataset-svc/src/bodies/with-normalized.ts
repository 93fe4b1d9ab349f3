import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { takeTurns } from '../read-index/take-turns.ts';
import type { ReadIndex } from '../read-index/read-index.ts';

const BRACE = 0x7d;
// As `publicRecordJson` begins; long enough for every id.
const OPENING = /^\{"recordId":(\d+),/;
const OPENING_BYTES = 40;

/** Bodies of rows, each with a last member `normalized`: the features of the row as the index has them, absent ones left out. */
export async function withNormalized(
  index: Pick<ReadIndex, 'featuresOf'>,
  rowIds: readonly number[],
  bodies: readonly Buffer[],
): Promise<Buffer[]> {
  const rows = bodies.map((body, at) => ({ rowId: rowIds[at] ?? 0, recordId: recordIdOf(body) }));
  const features = await index.featuresOf(rows);
  const whole: Buffer[] = [];
  for (const [at, body] of bodies.entries()) {
    if (body.at(-1) !== BRACE) throw new Error('a body that does not end as an object does');
    const member = `,"normalized":${JSON.stringify(features[at])}}`;
    whole.push(Buffer.concat([body.subarray(0, -1), Buffer.from(member)]));
    await takeTurns();
  }
  return whole;
}

function recordIdOf(body: Buffer): number {
  const [, digits] = OPENING.exec(body.toString('latin1', 0, OPENING_BYTES)) ?? [];
  return digits === undefined ? parsePublicRecord(body.toString()).recordId : Number(digits);
}
