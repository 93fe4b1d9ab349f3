import { useRef, useState } from 'preact/hooks';

/** A point in the coordinates of the `viewBox`. */
export type Spot = readonly [x: number, y: number];

interface Size {
  readonly width: number;
  readonly height: number;
}

type Pointer = Pick<PointerEvent, 'clientX' | 'clientY'> & { currentTarget: SVGSVGElement };

/** The maximum movement of a pointer during a click, in units of the `viewBox`. */
export const CLICK = 4;

/** Converts the position of a pointer to the coordinates of the `viewBox`. */
export function spotOf({ clientX, clientY, currentTarget }: Pointer, { width, height }: Size): Spot {
  const box = currentTarget.getBoundingClientRect();
  return [((clientX - box.left) / box.width) * width, ((clientY - box.top) / box.height) * height];
}

interface Acts {
  onHover: (at: Spot) => void;
  onClick: (at: Spot) => void;
  /** Receives opposite corners of the rectangle, in the order of the drag. */
  onBrush: (from: Spot, to: Spot) => void;
}

/** Distinguishes hovering, clicking, and dragging a rectangle. Touch only hovers, because dragging scrolls the page. */
export function useBrush(size: Size, { onHover, onClick, onBrush }: Acts) {
  const start = useRef<Spot | undefined>(undefined);
  const [brushed, setBrushed] = useState<(Size & { readonly x: number; readonly y: number }) | undefined>(undefined);
  return {
    brushed,
    handlers: {
      onPointerDown: (event: PointerEvent & Pointer): void => {
        if (event.button === 0 && event.pointerType !== 'touch') start.current = spotOf(event, size);
      },
      onPointerMove: (event: Pointer): void => {
        const [x, y] = spotOf(event, size);
        const from = start.current;
        if (!from) {
          onHover([x, y]);
          return;
        }
        const [width, height] = [Math.abs(x - from[0]), Math.abs(y - from[1])];
        if (Math.hypot(width, height) <= CLICK) return;
        setBrushed({ x: Math.min(from[0], x), y: Math.min(from[1], y), width, height });
      },
      onPointerUp: (event: Pointer): void => {
        const from = start.current;
        start.current = undefined;
        setBrushed(undefined);
        if (!from) return;
        const at = spotOf(event, size);
        if (brushed) onBrush(from, at);
        else onClick(at);
      },
      onPointerLeave: (): void => {
        start.current = undefined;
        setBrushed(undefined);
      },
    },
  };
}
