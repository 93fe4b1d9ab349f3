import { useEffect, useState } from 'preact/hooks';

/** Whether the window is narrow; undefined before script knows, when drawings of both sizes stand in the page. */
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
