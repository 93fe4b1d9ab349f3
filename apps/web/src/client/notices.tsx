import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** What the page waits for. */
export interface Notice {
  /** Read aloud once. */
  readonly text: string;
  /** What stands there instead of the text while seconds are counted. */
  readonly counting?: ReadonlySignal<string>;
  /** What can be done about it. */
  readonly action?: { readonly label: string; readonly act: () => void };
}

const notices = signal<readonly Notice[]>([]);
// Several requests that wait for the same say it once.
const distinct = computed(() =>
  notices.value.filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at),
);

/** Shows a notice until the function that it returns is called. */
export function showNotice(notice: Notice): () => void {
  notices.value = [...notices.value, notice];
  return () => {
    notices.value = notices.value.filter((shown) => shown !== notice);
  };
}

/** The notices, at the foot of every page that asks the service. */
export function Notices() {
  return (
    <>
      {distinct.value.map(({ text, counting, action }) => (
        <p key={text}>
          <span role="status" class={counting ? 'hidden-text' : undefined}>
            {text}
          </span>
          {counting && <span aria-hidden="true">{counting}</span>}
          {action && (
            <button type="button" class="link" onClick={action.act}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </>
  );
}
