import { useEffect, useState } from 'preact/hooks';

/** Returns whether the window is narrow. Undefined before script runs: until then, the page contains the drawings of both sizes. */
export function useNarrow(): boolean | undefined {
  const [isNarrow, setNarrow] = useState<boolean | undefined>(undefined);
  useEffect(() => {
    const query = matchMedia('(max-width: 767px)');
    const look = (): void => setNarrow(query.matches);
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
