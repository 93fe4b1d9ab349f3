import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  /** Called on every close, including Escape. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. It focuses the element with `data-first`, and restores the previous focus when it closes. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A layout effect, so that the dialog has the focus before the next key press.
  useLayoutEffect(() => {
    const { activeElement } = document;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      if (activeElement instanceof HTMLElement) activeElement.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
