import type { ComponentChildren } from 'preact';
import { useForm } from '../client/form.ts';
import { useOpenDialog } from './dialog.tsx';
import { Button } from './buttons.tsx';
import { Problem } from './problem.tsx';

interface Props {
  title: string;
  confirmLabel: string;
  cancelLabel: string;
  /** Performs the act. Receives a function that reads a field by name. The dialog shows the message of a thrown error. */
  onAct: (texts: (name: string) => string) => Promise<void>;
  /** Called when the dialog closes, after the act or a cancellation. */
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks for confirmation of an irreversible act. The dialog is open while it is rendered. */
export function ConfirmDialog({ title, confirmLabel, cancelLabel, onAct, onClose, children }: Props) {
  const dialog = useOpenDialog();
  const form = useForm(async (texts) => {
    await onAct(texts);
    dialog.current?.close();
  });
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit}>
        <h2 id="confirm-title">{title}</h2>
        {children}
        <Problem of={form.problem.value} />
        <p class="row">
          <button class="button danger" disabled={form.isBusy.value}>
            {confirmLabel}
          </button>
          <Button data-first onClick={() => dialog.current?.close()}>
            {cancelLabel}
          </Button>
        </p>
      </form>
    </dialog>
  );
}
