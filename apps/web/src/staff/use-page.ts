import type * as z from 'zod/mini';
import { useState } from 'preact/hooks';
import { pageOf, read } from '../client/read.ts';
import { useStaff } from './service.ts';
import { type LoadedValue, useLoadedValue } from './use-loaded-value.ts';

const STEP = 50;
/** The maximum page size of the service. */
const MAX = 1_000;

interface Rows<Item> extends LoadedValue<{ data: Item[]; total: number }> {
  /** Loads more rows; undefined if all are loaded. */
  readonly more: (() => void) | undefined;
}

/** Loads the first rows of a list. Empty filters are left out. */
export function usePage<Item extends z.ZodMiniType>(
  path: string,
  item: Item,
  filters: Readonly<Record<string, string>>,
): Rows<z.output<Item>> {
  const { request } = useStaff();
  const [limit, setLimit] = useState(STEP);
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
    limit: String(limit),
  });
  const address = `${path}?${query.toString()}`;
  const loaded = useLoadedValue(address, async (signal) => read(pageOf(item), await request(address, { signal })));
  const shown = loaded.value?.data.length ?? 0;
  const hasMore = shown < (loaded.value?.total ?? 0) && limit < MAX;
  return { ...loaded, more: hasMore ? () => setLimit(Math.min(MAX, limit + STEP)) : undefined };
}
