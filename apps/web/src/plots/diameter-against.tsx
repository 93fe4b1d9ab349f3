import type { Points } from '@esd/pages/explore-data';
import { defaultScale, type Scale } from '@esd/pages/explore-view';
import type { DiameterFigure } from '@esd/pages/page';
import { countText, numberText } from '../format.ts';
import { keyName } from '../names.ts';
import { AxisBelow, AxisLeft, axisTitle } from './axes.tsx';
import { BELOW, drawingSize, endsOf, niceDomain, type PlotScale, plotScale, TITLE_BELOW } from './scales.ts';

const SIZES = [
  { name: 'wide', width: 776, height: 400, ticks: 8 },
  { name: 'narrow', width: 288, height: 320, ticks: 4 },
] as const;
const DIAMETER = { feature: 'fiberDiameter', scale: 'log', units: {} } as const;
/** The height of the row of records without a diameter. */
const ROW = 36;

/** Fiber diameters against a setting, for pages without script. Records without a diameter form a row below the plot. */
export function DiameterAgainst({ figure }: { figure: DiameterFigure | undefined }) {
  const runs = figure ? runsOf(figure.points, defaultScale(figure.x)) : [];
  if (!figure || runs.every(({ y }) => y === undefined)) {
    return <p class="muted">No experiment reports a setting with a fiber diameter, so there is no plot.</p>;
  }
  const { x, points } = figure;
  const setting = { feature: x, scale: defaultScale(x), units: {} };
  const kinds = [
    ['dots', 'stable', runs.filter(({ stable }) => stable === 'yes')],
    ['crosses', 'not stable', runs.filter(({ stable }) => stable === 'no')],
    ['rings', 'stability not reported', runs.filter(({ stable }) => stable === null)],
  ] as const;
  const none = runs.filter(({ y }) => y === undefined).length;
  const missing = points.recordId.length - runs.length;
  return (
    <section aria-labelledby="figure">
      <h2 id="figure">Fiber diameter against {keyName(x).toLowerCase()}</h2>
      <p class="small muted">
        {countText(points.placed, 'experiment')} with both values; equal values overlap.
        {points.sampled && ` The plot shows a sample of ${numberText(points.recordId.length)} experiments.`}
        {none > 0 && ` ${countText(none, 'experiment')} without a diameter in the row below the plot.`}
        {missing > 0 && ` Not shown: ${countText(missing, 'experiment')} without a value for the setting.`}
      </p>
      {SIZES.map(({ name, width, height, ticks }) => {
        const place = { left: 60, right: width - 8, top: 6, bottom: height - BELOW - (none > 0 ? ROW : 0) };
        const xs = scaleOf(setting.scale, runs, ({ x }) => x, [place.left + 6, place.right - 6]);
        const ys = scaleOf(DIAMETER.scale, runs, ({ y }) => y, [place.bottom, place.top]);
        return (
          <svg
            key={name}
            class={`plot runs ${name}`}
            {...drawingSize(width, height)}
            role="img"
            aria-label={`${axisTitle(DIAMETER)} against ${axisTitle(setting)}: ${countText(points.placed, 'experiment')}.`}
          >
            <AxisBelow
              axis={{ ...setting, places: xs }}
              place={place}
              tickTop={height - TITLE_BELOW - 7}
              count={ticks}
            />
            <AxisLeft axis={{ ...DIAMETER, places: ys }} place={place} count={7} />
            {none > 0 && (
              <text x={place.left - 7} y={place.bottom + 24} text-anchor="end">
                none
              </text>
            )}
            {kinds.map(([kind, , own]) => (
              <path
                key={kind}
                class={kind}
                d={own
                  .map((run) => markAt(kind, xs.at(run.x), run.y === undefined ? place.bottom + 20 : ys.at(run.y)))
                  .join('')}
              />
            ))}
          </svg>
        );
      })}
      <ul class="legend" aria-label="Legend">
        {kinds.map(([kind, text, own]) =>
          own.length === 0 ? null : (
            <li key={kind}>
              <svg class="plot runs" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
                <path class={kind} d={markAt(kind, 6, 6)} />
              </svg>
              {text} ({numberText(own.length)})
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

interface Run {
  readonly x: number;
  readonly y: number | undefined;
  readonly stable: string | null;
}

/** Returns the records with a setting that the scale can show. */
function runsOf({ x, y, color }: Points, scale: Scale): Run[] {
  return x.flatMap((value, at) => {
    if (value === null || (scale === 'log' && value <= 0)) return [];
    const diameter = y[at] ?? 0;
    return [{ x: value, y: diameter > 0 ? diameter : undefined, stable: color[at] ?? null }];
  });
}

function scaleOf(
  scale: Scale,
  runs: readonly Run[],
  valueOf: (run: Run) => number | undefined,
  range: readonly [number, number],
): PlotScale {
  return plotScale(scale, niceDomain(scale, endsOf(runs.flatMap((run) => valueOf(run) ?? []))), range);
}

/** Returns the path of a mark. A dot is a line without length with round ends. */
function markAt(kind: 'dots' | 'crosses' | 'rings', x: number, y: number): string {
  const [a, b] = [x.toFixed(1), y.toFixed(1)];
  if (kind === 'dots') return `M${a} ${b}h0`;
  if (kind === 'rings') return `M${a} ${b}m-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0`;
  return `M${a} ${b}m-2.6 -2.6l5.2 5.2m0 -5.2l-5.2 5.2`;
}
