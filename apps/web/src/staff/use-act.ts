import { useSignal } from '@preact/signals';

export function useAct() {
  const isBusy = useSignal(false);
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
