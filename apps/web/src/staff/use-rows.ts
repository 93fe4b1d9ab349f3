import { useState } from 'preact/hooks';
import { type StaffRequest, useStaff } from './service.ts';
import { type LoadedValue, useLoadedValue } from './use-loaded-value.ts';

const STEP = 50;
/** The maximum page size of the service. */
const MAX = 1_000;

interface Page<Item> {
  data: Item[];
  total: number;
}

export interface Rows<Item> extends LoadedValue<Page<Item>> {
  /** Loads more rows; undefined if all are loaded. */
  readonly more: (() => void) | undefined;
}

/** Loads the first rows of a list by its name. Empty filters are left out. */
export function useRows<Item>(
  name: string,
  filters: Readonly<Record<string, string>>,
  load: (request: StaffRequest, options: { query: string; signal: AbortSignal }) => Promise<{ body: Page<Item> }>,
): Rows<Item> {
  const { request } = useStaff();
  const [limit, setLimit] = useState(STEP);
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '')),
    limit: String(limit),
  }).toString();
  const loaded = useLoadedValue(`${name}?${query}`, async (signal) => (await load(request, { query, signal })).body);
  const shown = loaded.value?.data.length ?? 0;
  const hasMore = shown < (loaded.value?.total ?? 0) && limit < MAX;
  return { ...loaded, more: hasMore ? () => setLimit(Math.min(MAX, limit + STEP)) : undefined };
}
