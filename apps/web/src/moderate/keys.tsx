import { type Signal, signal } from '@preact/signals';
import { moveFocus } from '../client/move-focus.ts';
import { storedText, storeText } from '../client/stored-text.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Button } from '../parts/buttons.tsx';
import type { Moderation } from './moderation.ts';

const STORED = 'esd-moderate-keys';

const MEANINGS = [
  ['j', 'next row'],
  ['k', 'previous row'],
  ['Enter', 'open the current row'],
  ['x', 'select the current row'],
  ['a', 'approve the open record, the selected rows, or the current row if none is selected'],
  ['Shift+A', 'approve the selected rows, or all if none is selected'],
  ['r', 'reject the selected rows, or all if none is selected; reject or withdraw the open record'],
  ['m', 'write a message about the open record'],
  ['u', 'back to the table or the queue'],
  ['?', 'show this list'],
] as const;

export interface Keys {
  readonly areOn: Signal<boolean>;
  readonly isHelpOpen: Signal<boolean>;
  /** Whether the form for the reason is open. */
  readonly isRejecting: Signal<boolean>;
  readonly onKey: (event: KeyboardEvent) => void;
  /** Called when a decision has changed the page. For a moment, keys then decide nothing. */
  readonly pause: () => void;
}

/** These keys decide without a further question. */
const DECIDING = ['a', 'A'];
/** A second press of the same key arrives within this time. */
const PAUSE_MS = 400;

/** A checkbox takes no letters. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select, dialog, [contenteditable]';

function press(key: string): void {
  document.querySelector<HTMLButtonElement>(`[data-key~="${key}"]`)?.click();
}

/** Handles single-key shortcuts outside of fields and dialogs. */
export function keys(desk: Moderation): Keys {
  const areOn = signal(storedText(STORED) !== 'off');
  const isHelpOpen = signal(false);
  const isRejecting = signal(false);
  let pausedAt = Number.NEGATIVE_INFINITY;
  const acts: Readonly<Record<string, () => void>> = {
    j: () => desk.step(1),
    k: () => desk.step(-1),
    Enter: () => desk.enter(),
    u: () => desk.back(),
    A: () => press('A'),
    a: () => press('a'),
    r: () => press('r'),
    m: () => moveFocus(document.querySelector('[aria-labelledby="messages"] textarea')),
    x: () => {
      const { current, selected, select } = desk.submission;
      const id = current.value;
      if (desk.view.value.recordId === undefined && id !== undefined) select(id, !selected.value.has(id));
    },
    '?': () => {
      isHelpOpen.value = true;
    },
  };
  return {
    areOn,
    isHelpOpen,
    isRejecting,
    pause: () => {
      pausedAt = performance.now();
    },
    onKey: (event) => {
      const { key, target, ctrlKey, metaKey, altKey, defaultPrevented, repeat, timeStamp } = event;
      if (!areOn.value || defaultPrevented || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest(FIELDS)) return;
      // Enter already activates these.
      if (key === 'Enter' && target instanceof Element && target.closest('a, button, summary')) return;
      const act = acts[key];
      if (!act) return;
      event.preventDefault();
      if (DECIDING.includes(key) && (repeat || timeStamp < pausedAt + PAUSE_MS)) return;
      act();
    },
  };
}

export function KeysDialog({ keys: { areOn, isHelpOpen } }: { keys: Keys }) {
  if (!isHelpOpen.value) return null;
  const close = (): void => {
    isHelpOpen.value = false;
  };
  const turn = (isOn: boolean): void => {
    areOn.value = isOn;
    storeText(STORED, isOn ? 'on' : 'off');
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {MEANINGS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="small muted">They have no effect while you are typing in a field.</p>
      <label class="check">
        <input type="checkbox" checked={areOn.value} onChange={({ currentTarget }) => turn(currentTarget.checked)} />
        Use these shortcuts
      </label>
      <p class="row">
        <Button data-first onClick={close}>
          Close
        </Button>
      </p>
    </Dialog>
  );
}
