import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useForm } from '../client/form.ts';

interface Props {
  /** A question. */
  title: string;
  /** What the buttons say: the act, and to leave things as they are. */
  act: string;
  keep: string;
  /** Does it, with the texts of the fields by name; what it throws is shown. */
  onAct: (texts: (name: string) => string) => Promise<void>;
  /** Closes it, whether or not it was done. */
  onClose: () => void;
  /** What it means, and fields. */
  children: ComponentChildren;
}

/** Asks before something is done that cannot be undone. It is open as long as it is rendered. */
export function ConfirmDialog({ title, act, keep, onAct, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const safe = useRef<HTMLButtonElement>(null);
  const form = useForm(async (texts) => {
    await onAct(texts);
    dialog.current?.close();
  });
  // Before the next key, which belongs to it.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    safe.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit}>
        <h2 id="confirm-title">{title}</h2>
        {children}
        {form.problem.value !== undefined && (
          <p class="error" role="alert">
            {form.problem}
          </p>
        )}
        <p class="row">
          <button class="button danger" disabled={form.isBusy.value}>
            {act}
          </button>
          <button ref={safe} type="button" class="button" onClick={() => dialog.current?.close()}>
            {keep}
          </button>
        </p>
      </form>
    </dialog>
  );
}
