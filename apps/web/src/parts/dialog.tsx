import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  /** A question, or what is to be filled in. */
  title: string;
  /** After Escape too. */
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog over the page while it is rendered. The element with `data-first` gets the focus, later the one that had it before. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the next key, which belongs to it.
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
