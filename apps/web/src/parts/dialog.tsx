import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus, returnFocus } from '../client/move-focus.ts';

/** Opens a dialog while it is rendered. The focus is on its element with `data-first`, and returns to the opener in the end. */
export function useOpenDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect, so that the dialog has the focus before the next key press.
  useLayoutEffect(() => {
    const giveBack = returnFocus();
    dialog.current?.showModal();
    const first = dialog.current?.querySelector('[data-first]');
    if (first) moveFocus(first);
    return giveBack;
  }, []);
  return dialog;
}

interface Props {
  title: string;
  /** Called on every close, including Escape. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. It focuses the element with `data-first`. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useOpenDialog();
  const heading = useId();
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
