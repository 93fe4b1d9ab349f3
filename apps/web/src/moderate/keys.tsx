import { type Signal, signal } from '@preact/signals';
import { storedText, storeText } from '../client/stored-text.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { Moderation } from './moderation.ts';

const STORED = 'esd-moderate-keys';

const MEANINGS = [
  ['j', 'next record'],
  ['k', 'previous record'],
  ['a', 'approve'],
  ['r', 'reject or withdraw with a reason'],
  ['x', 'select for a decision on several records'],
  ['?', 'show this list'],
] as const;

export interface Keys {
  readonly areOn: Signal<boolean>;
  readonly isHelpOpen: Signal<boolean>;
  /** Whether the form for the reason is open. */
  readonly isRejecting: Signal<boolean>;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** Handles single-key shortcuts outside of fields and dialogs. */
export function keys(desk: Moderation): Keys {
  const areOn = signal(storedText(STORED) !== 'off');
  const isHelpOpen = signal(false);
  const isRejecting = signal(false);
  const acts: Readonly<Record<string, () => void>> = {
    j: () => desk.step(1),
    k: () => desk.step(-1),
    a: () => document.querySelector<HTMLButtonElement>('[data-key="a"]')?.click(),
    r: () => document.querySelector<HTMLButtonElement>('[data-key="r"]')?.click(),
    x: () => {
      const { recordId } = desk.view.value;
      if (recordId !== undefined) desk.choose(recordId, !desk.chosen.value.has(recordId));
    },
    '?': () => {
      isHelpOpen.value = true;
    },
  };
  return {
    areOn,
    isHelpOpen,
    isRejecting,
    onKey: (event) => {
      const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (!areOn.value || defaultPrevented || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]')) return;
      const act = acts[key];
      if (!act) return;
      event.preventDefault();
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
        <button type="button" class="button" data-first onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
