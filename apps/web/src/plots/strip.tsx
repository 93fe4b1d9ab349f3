import type { ValuePosition } from '@esd/pages/record-context';

const WIDTH = 150;
const HEIGHT = 22;
/** The space above the bars for the head of the mark. */
const HEAD = 5;

/** A histogram of all reported values with a mark at one value. Hidden from screen readers, because adjacent text states the position. */
export function Strip({ position: { value, edges, counts } }: { position: ValuePosition }) {
  const step = WIDTH / Math.max(1, counts.length);
  const highest = Math.max(...counts);
  const bars = counts.map((count, at) => {
    if (count === 0) return '';
    const height = Math.max(1, (count / highest) * (HEIGHT - HEAD));
    return `M${short(at * step + 0.4)} ${HEIGHT}v-${short(height)}h${short(step - 0.8)}V${HEIGHT}z`;
  });
  const x = short(Math.min(WIDTH - 1, Math.max(1, step * positionOf(value, edges))));
  return (
    <svg class="strip" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path class="bars" d={bars.join('')} />
      <path class="mark" d={`M${x} 3V${HEIGHT}`} />
      <path class="head" d={`M${short(x - 3.5)} 0h7l-3.5 5z`} />
    </svg>
  );
}

/** Returns the position of a value in bins, including the fraction of its own bin. All bins are drawn equally wide. */
export function positionOf(value: number, edges: readonly number[]): number {
  const bins = edges.length - 1;
  const [low = value, high = value] = [edges[0], edges[bins]];
  if (low === high) return bins / 2;
  const bin = Math.min(
    bins - 1,
    Math.max(
      0,
      edges.findLastIndex((edge) => edge <= value),
    ),
  );
  const [from = low, to = high] = [edges[bin], edges[bin + 1]];
  return bin + (to === from ? 0 : (value - from) / (to - from));
}

/** Rounds a coordinate to tenths of a pixel. */
export function short(coordinate: number): number {
  return Number(coordinate.toFixed(1));
}

/** Describes the share of lower values. Uses no percentage for fewer than 5 values, and 0% only if it is exact. */
export function lowerText({ lower, count }: Pick<ValuePosition, 'lower' | 'count'>): string {
  if (count < 5) return `${lower} of ${count}`;
  const percent = Math.round((100 * lower) / count);
  return `${lower === 0 ? 0 : Math.min(99, Math.max(1, percent))}%`;
}
