import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { problemText } from './form.ts';

export interface Loaded<Value> {
  /** Undefined until it is there. */
  value: ReadonlySignal<Value | undefined>;
  /** Why it is not there, in a sentence. */
  problem: ReadonlySignal<string | undefined>;
  /** Asks again; what is shown stays meanwhile. */
  reload: () => Promise<void>;
}

/** Asks for something once the page runs. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const reload = async (): Promise<void> => {
    try {
      value.value = await load();
      problem.value = undefined;
    } catch (error) {
      problem.value = problemText(error);
    }
  };
  // oxlint-disable-next-line react/exhaustive-deps -- loads once, later only by `reload`
  useEffect(() => void reload(), []);
  return { value, problem, reload };
}
