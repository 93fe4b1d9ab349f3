import { yieldAfterSlice } from '../read-index/slices.ts';

const ITEMS = 2_048;

/** Serializes an object like JSON.stringify, in UTF-8, with pauses within long arrays. */
export async function jsonInSlices(object: object): Promise<Buffer> {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(object)) {
    parts.push(parts.length === 0 ? '{' : ',', JSON.stringify(name), ':');
    if (Array.isArray(value) && value.length > ITEMS) {
      const items: readonly unknown[] = value;
      for (let start = 0; start < items.length; start += ITEMS) {
        parts.push(start === 0 ? '[' : ',', JSON.stringify(items.slice(start, start + ITEMS)).slice(1, -1));
        await yieldAfterSlice();
      }
      parts.push(']');
    } else parts.push(JSON.stringify(value));
    await yieldAfterSlice();
  }
  return Buffer.from(parts.length === 0 ? '{}' : `${parts.join('')}}`);
}
