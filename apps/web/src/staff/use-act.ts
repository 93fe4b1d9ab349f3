import { useSignal } from '@preact/signals';

/** Runs what a person starts, such as sending a form, and tells whether it runs and why it failed. */
export function useAct() {
  const isBusy = useSignal(false);
  /** The error of the last act. */
  const failure = useSignal<unknown>(undefined);
  const run = async (act: () => Promise<void>): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await act();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, failure, run };
}
