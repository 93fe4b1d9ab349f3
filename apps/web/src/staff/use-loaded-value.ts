import { useCallback, useEffect, useState } from 'preact/hooks';

export interface LoadedValue<Value> {
  /** Undefined until the first response; the previous value stays until the next one. */
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export function useLoadedValue<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): LoadedValue<Value> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Pick<LoadedValue<Value>, 'value' | 'error' | 'isLoading'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  useEffect(() => {
    const stop = new AbortController();
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => stop.abort();
    // oxlint-disable-next-line react/exhaustive-deps -- `load` is a new function at each render; `key` identifies it
  }, [key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}
