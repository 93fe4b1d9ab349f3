import { type FieldSelection, fieldPicker } from '@esd/record/catalog/chosen-fields';
import { yieldAfterSlice } from '../read-index/slices.ts';

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
