import type { Window } from '@esd/pages/explore-data';
import { columns, defaultScale, SOLVENT_SYSTEM, withRange } from '@esd/pages/explore-view';
import { categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import { countText, numberText } from '../format.ts';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { binCount, binText, ProcessingWindow, triedOf, WindowLegend } from '../plots/processing-window.tsx';
import { withoutY } from '../plots/place-points.ts';
import { Scatter, ScatterLegend } from '../plots/scatter.tsx';
import { Choice, ViewLink } from './links.tsx';
import { noFailureText, repeatsText } from './evidence.ts';
import {
  colorName,
  featureName,
  featureWords,
  figureText,
  shareText,
  shortName,
  shown,
  unitOf,
  withUnit,
} from '../names.ts';
import { type Step, useExplore } from './state.ts';
import { useNarrow } from './use-narrow.ts';

// In the column order of the table, which follows the steps of an experiment.
const featureList = columns.flatMap((column) => features.find(({ feature }) => feature === column)?.feature ?? []);
const featureOptions = featureList.map((feature): readonly [Feature, string] => [feature, shortName(feature)]);
const TABLE_ROWS = 100;
const LARGE = { width: 900, height: 520 };
const WIDE = { width: 404, height: 362 };
const WIDE_WINDOW = { width: 568, height: 364 };
const NARROW_WINDOW = { width: 288, height: 260 };
const NARROW = { width: 288, height: 320 };

export function WindowFigure({ isLarge }: { isLarge: boolean }) {
  const { view, data, units, isLive, go } = useExplore();
  const { grid, narrowGrid, summary } = data;
  const { map } = view;
  const isNarrow = useNarrow();
  if (!grid || !narrowGrid) return null;
  const seen = isNarrow === true ? narrowGrid : grid;
  const noFailure = noFailureText(summary);
  // Where no paper reports a failure, stability is not informative.
  const automatic = noFailure === undefined ? 'stable' : 'diameter';
  const { by = automatic } = map;
  const hasTried = seen.tried !== undefined;
  const axisOptions = (other: Feature) => featureOptions.filter(([feature]) => feature !== other);
  const to = (window: Window) => (cell: Window['cells'][number]) => go(cellStep(window, cell));
  const cellCount = binCount(seen.x) * binCount(seen.y);
  const noMatch = seen.cells.filter(({ count }) => count === 0).length;
  const onePaper = seen.cells
    .filter((cell) => triedOf(cell).papers === 1 && triedOf(cell).count >= 10)
    .sort((a, b) => triedOf(b).count - triedOf(a).count)[0];
  const missing = grid.excluded.map(({ count, feature, reason }) => {
    const what = feature === undefined ? '' : featureWords(feature);
    return `${numberText(count)} ${reason === 'missing' ? `without ${what}` : reason === 'notConvertible' ? `with a ${what} in a unit that cannot be converted` : `with a ${what} of 0 or less`}`;
  });
  const what = hasTried ? 'matching experiments' : 'experiments';
  const foot = [
    grid.placed === grid.total
      ? `All ${what} are plotted.`
      : `Not plotted: ${numberText(grid.total - grid.placed)} of ${numberText(grid.total)} ${what} (${missing.join(', ')}).`,
    ` ${seen.cells.length} of ${cellCount} cells contain ${hasTried ? 'tried experiments' : 'experiments'}${hasTried ? `; in ${noMatch} of them, none matches` : ''}. Smaller squares contain fewer than 5 experiments, too few for a rate.`,
    onePaper
      ? ` One cell at ${featureWords(seen.x.feature)} ${withUnit(binText(seen.x, onePaper.i, units), unitOf(seen.x.feature, units))} contains ${triedOf(onePaper).count} experiments, all from one paper.`
      : '',
    summary && summary.repeats.records > 0
      ? ` ${numberText(summary.repeats.records)} of the ${numberText(grid.total)} records repeat an earlier record of their paper in every published value.`
      : '',
  ].join('');
  return (
    <PlotFrame
      id="window"
      title="Processing window"
      note={
        <>
          {hasTried
            ? `Each cell shows how many of the experiments tried there match the filters${by === 'stable' ? '. Its color is the share of the tried ones that was stable' : ', and the median fiber diameter of those that match'}.`
            : `Each cell shows the number of experiments, and below it the ${by === 'stable' ? 'share that was stable' : 'median fiber diameter'}.`}{' '}
          {repeatsText(view, by === 'stable' ? 'count' : 'both')}
          {noFailure !== undefined && <b class="caution"> {noFailure}</b>}
        </>
      }
      isLive={isLive}
      foot={foot}
      choices={
        <>
          <Choice
            text="x"
            label="Map, x axis"
            name="mapX"
            value={map.x}
            options={axisOptions(map.y)}
            to={(now, x) => ({ ...now, map: { ...now.map, x } })}
          />
          <Choice
            text="y"
            label="Map, y axis"
            name="mapY"
            value={map.y}
            options={axisOptions(map.x)}
            to={(now, y) => ({ ...now, map: { ...now.map, y } })}
          />
          <span class="switch" role="group" aria-label="Color cells by">
            {(
              [
                ['stable', 'Stable share'],
                ['diameter', 'Median diameter'],
              ] as const
            ).map(([color, text]) => (
              <ViewLink
                key={color}
                to={(now) => ({ ...now, map: { ...now.map, by: color === automatic ? undefined : color } })}
                current={color === by ? 'true' : undefined}
              >
                {text}
              </ViewLink>
            ))}
          </span>
        </>
      }
      plot={
        <>
          {isNarrow !== true && (
            <ProcessingWindow
              {...{ by, units, ...(isLarge ? LARGE : WIDE_WINDOW) }}
              window={grid}
              className="only-wide"
              onCell={to(grid)}
            />
          )}
          {isNarrow !== false && (
            <ProcessingWindow
              {...{ by, units, ...NARROW_WINDOW }}
              window={narrowGrid}
              className="only-narrow"
              onCell={to(narrowGrid)}
            />
          )}
        </>
      }
      legend={<WindowLegend window={grid} by={by} units={units} />}
      table={<WindowTable window={grid} />}
    />
  );
}

/** Returns a step that filters by the ranges of a cell. */
function cellStep({ x, y }: Window, { i, j }: Window['cells'][number]): Step {
  const bounds = ({ edges, eachValue }: Window['x'], at: number) => ({
    min: edges[at],
    max: eachValue === true ? edges[at] : edges[at + 1],
  });
  return (view) => withRange(withRange(view, x.feature, bounds(x, i)), y.feature, bounds(y, j));
}

function WindowTable({ window }: { window: Window }) {
  const { units } = useExplore();
  const { x, y, cells } = window;
  const hasTried = window.tried !== undefined;
  return (
    <div class="scroll tall" tabIndex={0} role="group" aria-label="Processing window as a table">
      <table>
        <thead>
          <tr>
            {[x, y].map(({ feature }) => (
              <th key={feature} scope="col">
                {featureName(feature)}
                <small>{unitOf(feature, units)}</small>
              </th>
            ))}
            {[...(hasTried ? ['Tried', 'Match'] : ['n']), 'Failed', 'Stable share', 'Papers'].map((text) => (
              <th key={text} scope="col" class="number">
                {text}
              </th>
            ))}
            <th scope="col" class="number">
              Median diameter
              <small>{unitOf('fiberDiameter', units)}</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {cells.map((cell) => {
            const { count, papers, stable, unstable } = triedOf(cell);
            return (
              <tr key={`${cell.i} ${cell.j}`}>
                <th scope="row">
                  <ViewLink to={cellStep(window, cell)}>{binText(x, cell.i, units)}</ViewLink>
                </th>
                <td>{binText(y, cell.j, units)}</td>
                <td class="number">{count}</td>
                {hasTried && <td class="number">{cell.count}</td>}
                <td class="number">{unstable}</td>
                <td class="number">{stable + unstable === 0 ? '–' : shareText(stable, stable + unstable)}</td>
                <td class="number">{papers}</td>
                <td class="number">
                  {cell.fiberDiameter.median === null
                    ? '–'
                    : figureText(shown('fiberDiameter', cell.fiberDiameter.median, units))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const colorOptions = ([SOLVENT_SYSTEM, ...categoryKeys.filter((key) => key !== 'doi')] as const).map(
  (color) => [color, colorName(color)] as const,
);

export function ScatterFigure({ isLarge }: { isLarge: boolean }) {
  const { base, view, data, units, isLive, go } = useExplore();
  const { points } = data;
  const { scatter } = view;
  const isNarrow = useNarrow();
  if (!points) return null;
  const none = withoutY(points);
  const isDiameter = scatter.y === 'fiberDiameter';
  const noneText = `no ${isDiameter ? 'diameter' : featureWords(scatter.y)} reported`;
  const withoutX = points.x.filter((value) => value === null).length;
  const foot = [
    points.sampled ? `Sample of ${numberText(points.recordId.length)} of ${numberText(points.total)} records. ` : '',
    withoutX > 0 ? `Not plotted: ${numberText(withoutX)} without ${featureWords(scatter.x)}. ` : '',
    'Points overlap where records have equal values.',
  ].join('');
  const drawn = {
    points,
    axes: scatter,
    units,
    isLive,
    onOpen: (recordId: number) => location.assign(`${base}/record/${recordId}`),
    onRange: (x: readonly [number, number], y: readonly [number, number]) =>
      go((now) => withRange(withRange(now, scatter.x, { min: x[0], max: x[1] }), scatter.y, { min: y[0], max: y[1] })),
  };
  const title = `${featureName(scatter.x)} and ${featureWords(scatter.y)}`;
  const scaleText = (scale: string): string => `${scale} scale`;
  return (
    <PlotFrame
      id="scatter"
      title={title}
      note={`${countText(points.placed, 'experiment reports', 'experiments report')} both values.${none > 0 ? ` ${countText(none, 'reports', 'report')} no ${featureWords(scatter.y)}.` : ''}`}
      isLive={isLive}
      foot={foot}
      choices={
        <>
          <Choice
            text="x"
            label="Scatter, x axis"
            name="x"
            value={scatter.x}
            options={featureOptions}
            except={['xScale']}
            to={(now, x) => ({ ...now, scatter: { ...now.scatter, x, xScale: defaultScale(x) } })}
          />
          <Choice
            text="y"
            label="Scatter, y axis"
            name="y"
            value={scatter.y}
            options={featureOptions}
            except={['yScale']}
            to={(now, y) => ({ ...now, scatter: { ...now.scatter, y, yScale: defaultScale(y) } })}
          />
          <Choice
            text="color"
            label="Scatter, color"
            name="color"
            value={scatter.color}
            options={colorOptions}
            to={(now, color) => ({ ...now, scatter: { ...now.scatter, color } })}
          />
          {isLarge &&
            (['xScale', 'yScale'] as const).map((name) => (
              <Choice
                key={name}
                text={name.charAt(0)}
                label={`Scatter, scale of ${name.charAt(0)}`}
                name={name}
                value={scatter[name]}
                options={(['linear', 'log'] as const).map((scale) => [scale, scaleText(scale)] as const)}
                to={(now, scale) => ({ ...now, scatter: { ...now.scatter, [name]: scale } })}
              />
            ))}
        </>
      }
      plot={
        <>
          {isNarrow !== true && <Scatter {...drawn} {...(isLarge ? LARGE : WIDE)} className="only-wide" />}
          {isNarrow !== false && <Scatter {...drawn} {...NARROW} className="only-narrow" />}
        </>
      }
      legend={<ScatterLegend points={points} noneText={noneText} />}
      table={<PointsTable />}
    />
  );
}

function PointsTable() {
  const { base, view, data, units } = useExplore();
  const { points } = data;
  const { x, y, color } = view.scatter;
  if (!points) return null;
  const text = (feature: Feature, value: number | null | undefined) =>
    value === null || value === undefined ? '–' : figureText(shown(feature, value, units));
  const { length } = points.recordId;
  return (
    <div class="scroll tall" tabIndex={0} role="group" aria-label="Points as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Record</th>
            {[x, y].map((feature) => (
              <th key={feature} scope="col" class="number">
                {featureName(feature)}
                <small>{unitOf(feature, units)}</small>
              </th>
            ))}
            <th scope="col">{colorName(color)}</th>
          </tr>
        </thead>
        <tbody>
          {points.recordId.slice(0, TABLE_ROWS).map((recordId, at) => (
            <tr key={recordId}>
              <th scope="row">
                <a href={`${base}/record/${recordId}`}>{recordId}</a>
              </th>
              <td class="number">{text(x, points.x[at])}</td>
              <td class="number">{text(y, points.y[at])}</td>
              <td>{points.color[at] ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {length > TABLE_ROWS && (
        <p class="note-small muted">
          Showing the first {TABLE_ROWS} of {numberText(length)} points. The Table view lists all records.
        </p>
      )}
    </div>
  );
}
