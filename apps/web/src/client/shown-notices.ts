import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** The reason why the page waits. */
export interface Notice {
  /** Read aloud once. */
  readonly text: string;
  /** The text while seconds are counted. */
  readonly counting?: ReadonlySignal<string>;
  /** The button that the notice offers. */
  readonly action?: { readonly label: string; readonly act: () => void };
}

const notices = signal<readonly Notice[]>([]);
// Several requests that wait for the same say it once.
export const distinctNotices: ReadonlySignal<readonly Notice[]> = computed(() =>
  notices.value.filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at),
);

/** Shows a notice until the function that it returns is called. */
export function showNotice(notice: Notice): () => void {
  notices.value = [...notices.value, notice];
  return () => {
    notices.value = notices.value.filter((shown) => shown !== notice);
  };
}
