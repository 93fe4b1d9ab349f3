import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** A message about why the page waits. */
export interface Notice {
  /** Screen readers announce it once. */
  readonly text: string;
  /** The visible text with a countdown. */
  readonly counting?: ReadonlySignal<string>;
  readonly action?: { readonly label: string; readonly act: () => void };
}

const notices = signal<readonly Notice[]>([]);
// Several requests may wait for the same reason.
export const distinctNotices: ReadonlySignal<readonly Notice[]> = computed(() =>
  notices.value.filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at),
);

/** Shows a notice until the returned function is called. */
export function showNotice(notice: Notice): () => void {
  notices.value = [...notices.value, notice];
  return () => {
    notices.value = notices.value.filter((shown) => shown !== notice);
  };
}
