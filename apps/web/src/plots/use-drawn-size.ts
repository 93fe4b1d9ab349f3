import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export interface DrawnSize {
  readonly width: number;
  readonly height: number;
  /** The size in relation to that of the server. */
  readonly scale: number;
  /** Whether CSS scales the drawing, because script has not measured the frame yet. */
  readonly isScaled: boolean;
}

/**
 * Returns the size at which to draw a plot, in CSS pixels: it fills its frame at the ratio of the server's drawing. The server and the
 * first render use the size of that drawing, which CSS scales to the same area, so that nothing moves.
 */
export function useDrawnSize(
  frame: RefObject<Element | null>,
  { width, height }: { width: number; height: number },
): DrawnSize {
  const [measured, setMeasured] = useState<number | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    // A hidden frame has no width.
    const look = (): void => setMeasured((last) => Math.round(current.clientWidth) || last);
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, [frame]);
  const drawn = measured ?? width;
  const scale = drawn / width;
  return { width: drawn, height: Math.round(height * scale), scale, isScaled: measured === undefined };
}
