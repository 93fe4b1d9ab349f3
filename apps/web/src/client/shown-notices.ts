import { computed, type ReadonlySignal, signal } from '@preact/signals';

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

export function showNotice(notice: Notice): () => void {
  notices.value = [...notices.value, notice];
  return () => {
    notices.value = notices.value.filter((shown) => shown !== notice);
  };
}
