import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { LinkButton } from '../parts/buttons.tsx';

export interface ToastMessage {
  readonly text: string;
  /** Reverses what the message confirms. */
  readonly undo?: (() => void) | undefined;
}

const SHOWN_MS = 6_000;
const UNDO_SHOWN_MS = 30_000;

/** Shows a confirmation for a few seconds, and as long as the pointer is over it. */
export function Toast({ of }: { of: ReadonlySignal<ToastMessage | undefined> }) {
  const isShown = useSignal(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const message = of.value;
  const hide = useCallback((): void => {
    timer.current = setTimeout(() => (isShown.value = false), message?.undo ? UNDO_SHOWN_MS : SHOWN_MS);
  }, [isShown, message]);
  useEffect(() => {
    isShown.value = true;
    hide();
    return () => clearTimeout(timer.current);
  }, [message, isShown, hide]);
  return (
    <div role="status" class="toasts" onMouseEnter={() => clearTimeout(timer.current)} onMouseLeave={hide}>
      {message && isShown.value && (
        <p class="toast">
          {message.text}
          {message.undo && (
            <>
              {' '}
              <LinkButton onClick={message.undo}>Undo</LinkButton>
            </>
          )}
        </p>
      )}
    </div>
  );
}
