import { useRef, useState } from 'preact/hooks';
import type { Histogram } from '@esd/pages/explore-data';
import type { ChosenUnits } from '../names.ts';
import { rounded } from '../format.ts';
import { axisTicks, withoutOverlap } from './axes.tsx';
import { CLICK, spotOf } from './brush.ts';
import { drawingSize, plotScale } from './scales.ts';

export interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

interface Props {
  histogram: Histogram;
  label: string;
  chosen: Bounds;
  units: ChosenUnits;
  /** Receives the brushed range in the unit of the filter. Without it, the histogram is read-only. */
  onRange?: ((bounds: Bounds) => void) | undefined;
}

const WIDTH = 228;
const HEIGHT = 40;
const AXIS = 17;
const HANDLE = 7;

/** A histogram that selects a range: drag to brush, drag a handle to adjust, click a bar to select it, double-click to clear. */
export function RangeHistogram({ histogram, label, chosen, units, onRange }: Props) {
  const { feature, scale, edges, counts } = histogram;
  const [first = 0, last = 1] = [edges[0], edges.at(-1)];
  const places = plotScale(scale, [first, last], [4, WIDTH - 4]);
  const most = Math.max(1, ...counts);
  const drag = useRef<{ from: number; start: number; hasMoved: boolean } | undefined>(undefined);
  const [brushed, setBrushed] = useState<readonly [number, number] | undefined>(undefined);
  const clamp = (place: number): number => Math.min(WIDTH - 4, Math.max(4, place));
  const low = clamp(places.at(chosen.min ?? first));
  const high = clamp(places.at(chosen.max ?? last));
  const isChosen = chosen.min !== undefined || chosen.max !== undefined;
  const [from, to] = brushed ?? [low, high];
  const placeOf = (event: PointerEvent & { currentTarget: SVGSVGElement }): number =>
    clamp(spotOf(event, { width: WIDTH, height: HEIGHT + AXIS })[0]);
  const commit = (a: number, b: number): void => {
    const [left, right] = a < b ? [a, b] : [b, a];
    onRange?.({
      min: left <= 4 ? undefined : rounded(places.valueAt(left)),
      max: right >= WIDTH - 4 ? undefined : rounded(places.valueAt(right)),
    });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the number fields are the keyboard equivalent
    <svg
      class="histogram"
      {...drawingSize(WIDTH, HEIGHT + AXIS)}
      role="img"
      aria-label={label}
      onPointerDown={(event) => {
        if (!onRange || event.button !== 0) return;
        const place = placeOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
        const atLow = isChosen && Math.abs(place - low) <= HANDLE;
        const atHigh = isChosen && Math.abs(place - high) <= HANDLE;
        drag.current = { from: atLow ? high : atHigh ? low : place, start: place, hasMoved: false };
      }}
      onPointerMove={(event) => {
        const { current } = drag;
        if (!current) return;
        const place = placeOf(event);
        if (Math.abs(place - current.start) > CLICK) current.hasMoved = true;
        if (current.hasMoved) setBrushed(place < current.from ? [place, current.from] : [current.from, place]);
      }}
      onPointerUp={(event) => {
        const { current } = drag;
        drag.current = undefined;
        setBrushed(undefined);
        if (!current) return;
        if (current.hasMoved) {
          commit(current.from, placeOf(event));
          return;
        }
        const value = places.valueAt(current.start);
        const bar = counts.findIndex(
          (count, at) => count > 0 && value >= (edges[at] ?? 0) && value <= (edges[at + 1] ?? 0),
        );
        const [min, max] = [edges[bar], edges[bar + 1]];
        if (min !== undefined && max !== undefined) onRange?.({ min: rounded(min), max: rounded(max) });
      }}
      onPointerCancel={() => {
        drag.current = undefined;
        setBrushed(undefined);
      }}
      onDblClick={() => onRange?.({ min: undefined, max: undefined })}
    >
      {counts.map((count, at) => {
        if (count === 0) return null;
        const [left, right] = [places.at(edges[at] ?? first), places.at(edges[at + 1] ?? last)];
        const middle = (left + right) / 2;
        const height = Math.max(1, (count / most) * (HEIGHT - 2));
        return (
          <rect
            key={at}
            class={middle >= from && middle <= to ? 'bar-on' : 'bar-off'}
            x={left.toFixed(1)}
            y={(HEIGHT - height).toFixed(1)}
            width={Math.max(1, right - left - 1).toFixed(1)}
            height={height.toFixed(1)}
          />
        );
      })}
      <path class="axis-line" d={`M0 ${HEIGHT + 0.5}H${WIDTH}`} />
      {withoutOverlap(axisTicks({ feature, scale, places, units }, 5)).map(({ place, text }) => (
        <text
          key={place}
          x={Math.min(WIDTH, Math.max(0, place)).toFixed(1)}
          y={HEIGHT + 14}
          text-anchor={place > WIDTH - 3 * text.length ? 'end' : place < 3 * text.length ? 'start' : 'middle'}
        >
          {text}
        </text>
      ))}
      {(isChosen || brushed) && (
        <>
          <rect class="brush" x={from} y={0.5} width={Math.max(1, to - from)} height={HEIGHT - 1} />
          {[from, to].map((place, at) => (
            <rect key={at} class="handle" x={place - 3} y={HEIGHT / 2 - 8} width={6} height={16} rx={1.5} />
          ))}
        </>
      )}
    </svg>
  );
}
