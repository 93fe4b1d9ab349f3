import type { Place } from '@esd/pages/record-context';

const WIDTH = 150;
const HEIGHT = 22;
/** Above the bars, for the head of the mark. */
const HEAD = 5;

/** Where a value lies among all that are reported: their histogram and a mark. What it shows is said in words beside it. */
export function Strip({ place: { value, edges, counts } }: { place: Place }) {
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

/** How many bins lie before a value, with the share of its own; bins are equally wide on the scale of the strip. */
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

function short(value: number): number {
  return Number(value.toFixed(1));
}

/** How much of all values is lower, in words: of fewer than 5 without a percentage, and 0% and 100% only where they are exact. */
export function lowerText({ lower, count }: Pick<Place, 'lower' | 'count'>): string {
  if (count < 5) return `${lower} of ${count}`;
  const percent = Math.round((100 * lower) / count);
  return `${lower === 0 ? 0 : Math.min(99, Math.max(1, percent))}%`;
}
