import type * as z from 'zod/mini';
import { pageOf, read } from '../client/read.ts';
import { type Rows, useRows } from './use-rows.ts';

/** Loads the first rows of a list, and parses them. Empty filters are left out. */
export function usePage<Item extends z.ZodMiniType>(
  path: string,
  item: Item,
  filters: Readonly<Record<string, string>>,
): Rows<z.output<Item>> {
  return useRows(path, filters, async (request, { query, signal }) => ({
    body: read(pageOf(item), await request(`${path}?${query}`, { signal })),
  }));
}
