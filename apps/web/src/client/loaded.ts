import type { ParametersAt, PathOf, ResponseAt } from '@esd/api/operations';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, type Send } from './call.ts';
import { problemText } from './form.ts';

export interface Loaded<Value> {
  value: ReadonlySignal<Value | undefined>;
  problem: ReadonlySignal<string | undefined>;
  /** Loads the value again; the previous one remains until then. */
  reload: () => Promise<void>;
}

/** Loads a value when the component mounts. */
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

/** Loads the response of an operation when the component mounts. */
export function useResponse<Path extends PathOf<'get'>>(
  send: Send,
  path: Path,
  parameters?: ParametersAt<'get', Path>,
): Loaded<ResponseAt<'get', Path>> {
  return useLoaded(async () => (await call(send, 'get', path, parameters && { parameters })).body);
}
