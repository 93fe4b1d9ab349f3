import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Keeps the head of a table below the result bar while the page scrolls. `position: sticky` cannot: the table scrolls sideways in
 * its own box, and would stick to that.
 */
export function useStickyHead(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = (): void => {
      const table = box.current?.querySelector('table');
      const head = table?.tHead;
      if (!table || !head) return;
      const bar = document.querySelector('.result-bar')?.getBoundingClientRect().bottom ?? 0;
      const { top, height } = table.getBoundingClientRect();
      const offset = Math.min(Math.max(0, bar - top), height - head.offsetHeight);
      head.style.transform = offset === 0 ? '' : `translateY(${offset}px)`;
    };
    addEventListener('scroll', place, { passive: true });
    return () => removeEventListener('scroll', place);
  }, []);
  return box;
}
