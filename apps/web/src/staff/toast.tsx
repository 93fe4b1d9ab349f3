import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';

export interface ToastMessage {
  readonly text: string;
}

const SHOWN_MS = 6_000;

/** Shows a confirmation for a few seconds, and as long as the pointer is over it. */
export function Toast({ of }: { of: ReadonlySignal<ToastMessage | undefined> }) {
  const isShown = useSignal(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = useCallback((): void => {
    timer.current = setTimeout(() => (isShown.value = false), SHOWN_MS);
  }, [isShown]);
  const message = of.value;
  useEffect(() => {
    isShown.value = true;
    hide();
    return () => clearTimeout(timer.current);
  }, [message, isShown, hide]);
  return (
    <div role="status" class="toasts" onMouseEnter={() => clearTimeout(timer.current)} onMouseLeave={hide}>
      {message && isShown.value && <p class="toast">{message.text}</p>}
    </div>
  );
}
