import type { Window } from '@esd/pages/explore-data';
import { columns, defaultScale, SOLVENT_SYSTEM, withRange } from '@esd/pages/explore-view';
import { categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import { countText, numberText } from '../format.ts';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { edgeText, ProcessingWindow, WindowLegend } from '../plots/processing-window.tsx';
import { withoutY } from '../plots/place-points.ts';
import { Scatter, ScatterLegend } from '../plots/scatter.tsx';
import { Choice, ViewLink } from './links.tsx';
import { colorName, featureName, featureWords, figureText, shareText, shown, unitOf } from '../names.ts';
import { type Step, useExplore } from './state.ts';
import { useNarrow } from './use-narrow.ts';

// In the column order of the table, which follows the steps of an experiment.
const featureList = columns.flatMap((column) => features.find(({ feature }) => feature === column)?.feature ?? []);
const featureOptions = featureList.map((feature): readonly [Feature, string] => [feature, featureName(feature)]);
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
  const axisOptions = (other: Feature) => featureOptions.filter(([feature]) => feature !== other);
  const to = (window: Window) => (cell: Window['cells'][number]) => go(cellStep(window, cell));
  const cellCount = Math.max(1, seen.x.edges.length - 1) * Math.max(1, seen.y.edges.length - 1);
  const onePaper = seen.cells
    .filter(({ count, papers }) => papers === 1 && count >= 10)
    .sort((a, b) => b.count - a.count)[0];
  const missing = grid.excluded.map(({ count, feature, reason }) => {
    const what = feature === undefined ? '' : featureWords(feature);
    return `${numberText(count)} ${reason === 'missing' ? `without ${what}` : reason === 'notConvertible' ? `with a ${what} in a unit that cannot be converted` : `with a ${what} of 0 or less`}`;
  });
  const foot = [
    grid.placed === grid.total
      ? 'All experiments are plotted.'
      : `Not plotted: ${numberText(grid.total - grid.placed)} of ${numberText(grid.total)} experiments (${missing.join(', ')}).`,
    ` ${seen.cells.length} of ${cellCount} cells contain experiments. Smaller squares contain fewer than 5 experiments, too few for a rate.`,
    onePaper
      ? ` One cell at ${featureWords(seen.x.feature)} ${edgeText(seen.x, onePaper.i, units)}–${edgeText(seen.x, onePaper.i + 1, units)} ${unitOf(seen.x.feature, units)} contains ${onePaper.count} experiments, all from one paper.`
      : '',
    summary && summary.repeats.records > 0
      ? ` ${numberText(summary.repeats.records)} of the ${numberText(grid.total)} records repeat an earlier record of their paper in every published value.`
      : '',
  ].join('');
  return (
    <PlotFrame
      id="window"
      title="Processing window"
      note={`Each cell shows the number of experiments, and below it the ${map.by === 'stable' ? 'share that was stable' : 'median fiber diameter'}.`}
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
            ).map(([by, text]) => (
              <ViewLink
                key={by}
                to={(now) => ({ ...now, map: { ...now.map, by } })}
                current={map.by === by ? 'true' : undefined}
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
              {...{ by: map.by, units, ...(isLarge ? LARGE : WIDE_WINDOW) }}
              window={grid}
              className="only-wide"
              onCell={to(grid)}
            />
          )}
          {isNarrow !== false && (
            <ProcessingWindow
              {...{ by: map.by, units, ...NARROW_WINDOW }}
              window={narrowGrid}
              className="only-narrow"
              onCell={to(narrowGrid)}
            />
          )}
        </>
      }
      legend={<WindowLegend by={map.by} units={units} />}
      table={<WindowTable window={grid} />}
    />
  );
}

/** Returns a step that filters by the ranges of a cell. */
function cellStep({ x, y }: Window, { i, j }: Window['cells'][number]): Step {
  const bounds = (axis: Window['x'], at: number) => ({
    min: axis.edges[at],
    max: axis.edges[at + 1] ?? axis.edges[at],
  });
  return (view) => withRange(withRange(view, x.feature, bounds(x, i)), y.feature, bounds(y, j));
}

function WindowTable({ window }: { window: Window }) {
  const { units } = useExplore();
  const { x, y, cells } = window;
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
            {['n', 'Papers', 'Stable', 'Stable share'].map((text) => (
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
          {cells.map((cell) => (
            <tr key={`${cell.i} ${cell.j}`}>
              <th scope="row">
                <ViewLink to={cellStep(window, cell)}>
                  {edgeText(x, cell.i, units)}–{edgeText(x, cell.i + 1, units)}
                </ViewLink>
              </th>
              <td>
                {edgeText(y, cell.j, units)}–{edgeText(y, cell.j + 1, units)}
              </td>
              <td class="number">{cell.count}</td>
              <td class="number">{cell.papers}</td>
              <td class="number">{cell.stable}</td>
              <td class="number">
                {cell.stable + cell.unstable === 0 ? '–' : shareText(cell.stable, cell.stable + cell.unstable)}
              </td>
              <td class="number">
                {cell.fiberDiameter.median === null
                  ? '–'
                  : figureText(shown('fiberDiameter', cell.fiberDiameter.median, units))}
              </td>
            </tr>
          ))}
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
