import { useMemo } from 'preact/hooks';
import type { Points, Window } from '@esd/pages/explore-data';
import { mapPart } from '@esd/pages/explore-page';
import { columns, defaultScale, type ExploreView, panelChoices, withRange } from '@esd/pages/explore-view';
import { type CategoryKey, categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import { countText, numberText } from '../format.ts';
import { PlotFrame } from '../plots/plot-frame.tsx';
import { binCount, binText, ProcessingWindow, triedOf, WindowLegend } from '../plots/processing-window.tsx';
import { colorsOf, MAX_PANELS, type Panel, panelsOf, withoutY } from '../plots/place-points.ts';
import { useNameMarks } from '../plots/name-marks.ts';
import { Scatter, ScatterLegend } from '../plots/scatter.tsx';
import { type KnownNames, useKnownNames } from '../parts/known-names.tsx';
import {
  computedText,
  featureWords,
  figureText,
  keyName,
  shareText,
  shown,
  unitOf,
  valueText,
  withUnit,
} from '../names.ts';
import { Heads, numberHeads, ScrollTable } from '../parts/scroll-table.tsx';
import { Choice, Switch, ViewLink } from './links.tsx';
import { noFailureText } from './evidence.ts';
import { requestParts, type Step, useExplore } from './state.ts';

// In the column order of the table, which follows the steps of an experiment.
const featureList = columns.flatMap((column) => features.find(({ feature }) => feature === column)?.feature ?? []);
const featureOptions = featureList.map((feature): readonly [Feature, string] => [feature, keyName(feature)]);
const MAP_COLORS = [
  ['stable', 'Stable share'],
  ['diameter', 'Median diameter'],
] as const;
const TABLE_ROWS = 100;
// The server's drawings. At least 94% of their width is available from 1,200 px, so that their text is not smaller than 12 px.
const LARGE = { width: 720, height: 340 };
const WIDE = { width: 420, height: 370 };
const WIDE_WINDOW = { width: 484, height: 340 };
const NARROW_WINDOW = { width: 288, height: 260 };
const NARROW = { width: 288, height: 320 };

export function WindowFigure({ isLarge }: { isLarge: boolean }) {
  const explore = useExplore();
  const { base, view, data, units, isLive, isNarrow, go } = explore;
  const { grid, summary } = data;
  const { map } = view;
  if (!grid) return null;
  const noFailure = noFailureText(summary);
  // Where no paper reports a failure, stability is not informative.
  const automatic = noFailure === undefined ? 'stable' : 'diameter';
  const { by = automatic } = map;
  const hasTried = grid.tried !== undefined;
  const axisOptions = (other: Feature) => featureOptions.filter(([feature]) => feature !== other);
  const legend = <WindowLegend window={grid} by={by} units={units} />;
  const cellCount = binCount(grid.x) * binCount(grid.y);
  const noMatch = grid.cells.filter(({ count }) => count === 0).length;
  const onePaper = grid.cells
    .filter((cell) => triedOf(cell).papers === 1 && triedOf(cell).count >= 10)
    .sort((a, b) => triedOf(b).count - triedOf(a).count)[0];
  const missing = grid.excluded.map(({ count, feature, reason }) => {
    const what = feature === undefined ? '' : featureWords(feature);
    return `${numberText(count)} ${reason === 'missing' ? `without ${what}` : reason === 'notConvertible' ? `with a ${what} in a unit that cannot be converted` : `with a ${what} of 0 or less`}`;
  });
  const what = hasTried ? 'matching experiments' : 'experiments';
  const plotted =
    grid.placed === grid.total
      ? `All ${what} are plotted.`
      : `Not plotted: ${numberText(grid.total - grid.placed)} of ${numberText(grid.total)} ${what} (${missing.join(', ')}).`;
  const foot = [
    plotted,
    ` ${grid.cells.length} of ${cellCount} cells contain ${hasTried ? 'tried experiments' : 'experiments'}${hasTried ? `; in ${noMatch} of them, none matches` : ''}. Smaller squares contain fewer than 5 experiments, too few for a rate.`,
    onePaper
      ? ` One cell at ${featureWords(grid.x.feature)} ${withUnit(binText(grid.x, onePaper.i, units), unitOf(grid.x.feature, units))} contains ${triedOf(onePaper).count} experiments, all from one paper.`
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
            : `Each cell shows the number of experiments, and below it the ${by === 'stable' ? 'share that was stable' : 'median fiber diameter'}.`}
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
          <Switch
            label="Color cells by"
            value={by}
            options={MAP_COLORS}
            to={(now, color) => ({ ...now, map: { ...now.map, by: color === automatic ? undefined : color } })}
          />
        </>
      }
      plot={
        <ProcessingWindow
          {...{ by, units, legend, ...(isNarrow ? NARROW_WINDOW : isLarge ? LARGE : WIDE_WINDOW) }}
          window={grid}
          className={isLarge ? 'large' : 'on-page'}
          onCell={(cell) => go(cellStep(grid, cell))}
        />
      }
      legend={legend}
      table={<WindowTable window={grid} />}
      saved={{
        file: async (mm) => {
          const { figureCaption, windowData } = await import('./figure-files.ts');
          // A map for one column has the cells of a narrow window.
          const isNarrowPrint = mm === 85;
          const printed =
            isNarrowPrint === isNarrow ? grid : (await requestParts(base, view, [mapPart(isNarrowPrint)])).grid;
          return {
            print: (size) => (
              <ProcessingWindow {...{ by, units, ...size }} window={printed ?? grid} className="printed" />
            ),
            caption: figureCaption(explore, grid.placed, plotted),
            data: windowData(grid),
          };
        },
      }}
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

/** The name of a quantity with the unit that the table shows. */
function QuantityHead({ feature, text = keyName(feature) }: { feature: Feature; text?: string }) {
  const { units } = useExplore();
  return (
    <>
      {text}
      <small>{unitOf(feature, units)}</small>
    </>
  );
}

function WindowTable({ window }: { window: Window }) {
  const { units } = useExplore();
  const { x, y, cells } = window;
  const hasTried = window.tried !== undefined;
  return (
    <ScrollTable
      label="Processing window as a table"
      heads={[
        ...[x, y].map(({ feature }) => <QuantityHead key={feature} feature={feature} />),
        ...numberHeads(
          ...(hasTried ? ['Tried', 'Match'] : ['n']),
          'Failed',
          'Stable share',
          'Papers',
          <QuantityHead key="diameter" feature="fiberDiameter" text="Median diameter" />,
        ),
      ]}
    >
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
                : computedText(shown('fiberDiameter', cell.fiberDiameter.median, units))}
            </td>
          </tr>
        );
      })}
    </ScrollTable>
  );
}

const colorOptions = categoryKeys.filter((key) => key !== 'doi').map((color) => [color, keyName(color)] as const);

const PANELS: Readonly<Record<(typeof panelChoices)[number], string>> = {
  none: 'none',
  polymer: 'by polymer',
  solvent: 'by solvent',
};

export function ScatterFigure({ isLarge }: { isLarge: boolean }) {
  const { data } = useExplore();
  return data.points ? <ScatterOf columns={data.points} isLarge={isLarge} /> : null;
}

/** Returns the points with the names that people read. Names of one substance become one. */
function withNames(points: Points, { color: by, panels }: ExploreView['scatter'], known: KnownNames): Points {
  const { color, panel } = points;
  const named = (key: CategoryKey) => (value: string | null) => (value === null ? null : valueText(key, value, known));
  const panelKey = panels === 'polymer' ? panels : 'solventSystem';
  return { ...points, color: color.map(named(by)), ...(panel && { panel: panel.map(named(panelKey)) }) };
}

function ScatterOf({ columns, isLarge }: { columns: Points; isLarge: boolean }) {
  const explore = useExplore();
  const knownNames = useKnownNames();
  const { base, view, units, isLive, isNarrow, go } = explore;
  const { scatter } = view;
  const points = useMemo(() => withNames(columns, scatter, knownNames), [columns, scatter, knownNames]);
  const names = useMemo(() => colorsOf(points).named.map(({ value }) => value), [points]);
  const marks = useNameMarks(scatter.color, names, isLive);
  const { panels, distinct } = useMemo(() => panelsOf(points, scatter), [points, scatter]);
  const hasMedians = panels.some(({ bins }) => bins.length > 0);
  const none = withoutY(points);
  const isDiameter = scatter.y === 'fiberDiameter';
  const noneText = `no ${isDiameter ? 'diameter' : featureWords(scatter.y)} reported`;
  const withoutX = points.x.filter((value) => value === null).length;
  const foot = [
    points.sampled
      ? `Sample of ${numberText(points.recordId.length)} of ${countText(points.total, 'experiment')}. `
      : '',
    withoutX > 0 ? `Not plotted: ${numberText(withoutX)} without ${featureWords(scatter.x)}. ` : '',
    'Points with equal values are drawn around their position.',
    points.sampled ? ' Medians are those of the sample.' : '',
    distinct > panels.length
      ? ` The panels show the ${MAX_PANELS} most frequent of ${numberText(distinct)} ${scatter.panels === 'polymer' ? 'polymers' : 'solvent systems'}.`
      : '',
  ].join('');
  const legend = <ScatterLegend {...{ points, noneText, hasMedians, marks }} />;
  const drawn = {
    points,
    legend,
    axes: scatter,
    units,
    marks,
    isLive,
    onOpen: (recordId: number) => location.assign(`${base}/record/${recordId}`),
    onRange: (x: readonly [number, number], y: readonly [number, number]) =>
      go((now) => withRange(withRange(now, scatter.x, { min: x[0], max: x[1] }), scatter.y, { min: y[0], max: y[1] })),
  };
  const title = `${keyName(scatter.x)} and ${featureWords(scatter.y)}`;
  return (
    <PlotFrame
      id="scatter"
      title={title}
      note={`${countText(points.placed, 'experiment reports', 'experiments report')} both${none > 0 ? `; ${countText(none, 'reports', 'report')} no ${isDiameter ? 'diameter' : featureWords(scatter.y)}` : ''}.`}
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
          <Choice
            text="panels"
            label="Scatter, panels"
            name="panels"
            value={scatter.panels}
            options={panelChoices.map((panels) => [panels, PANELS[panels]] as const)}
            to={(now, panels) => ({ ...now, scatter: { ...now.scatter, panels } })}
          />
          {isLarge &&
            (['xScale', 'yScale'] as const).map((name) => (
              <Choice
                key={name}
                text={`${name.charAt(0)} scale`}
                label={`Scatter, scale of ${name.charAt(0)}`}
                name={name}
                value={scatter[name]}
                options={(['linear', 'log'] as const).map((scale) => [scale, `${scale} scale`] as const)}
                to={(now, scale) => ({ ...now, scatter: { ...now.scatter, [name]: scale } })}
              />
            ))}
        </>
      }
      plot={
        <>
          {!(isLive && isNarrow) && (
            <Scatter {...drawn} {...(isLarge ? LARGE : WIDE)} className={isLarge ? 'only-wide large' : 'only-wide'} />
          )}
          {(isNarrow || !isLive) && <Scatter {...drawn} {...NARROW} className="only-narrow" />}
        </>
      }
      legend={legend}
      table={
        <>
          <MediansTable panels={panels} />
          <PointsTable />
        </>
      }
      saved={{
        file: async () => {
          const { figureCaption, pointsData } = await import('./figure-files.ts');
          return {
            print: (size) => <Scatter {...{ points, axes: scatter, units, marks, ...size }} isLive={false} />,
            caption: figureCaption(explore, points.placed, foot),
            data: pointsData(columns, scatter),
          };
        },
      }}
    />
  );
}

function MediansTable({ panels }: { panels: readonly Panel[] }) {
  const { view, units } = useExplore();
  const { x, y } = view.scatter;
  const rows = panels.flatMap(({ name, bins }) => bins.map((bin) => ({ name, ...bin })));
  if (rows.length === 0) return null;
  const hasNames = rows.some(({ name }) => name !== undefined);
  const text = (feature: Feature, value: number) => figureText(shown(feature, value, units));
  return (
    <ScrollTable
      label="Medians as a table"
      heads={[
        ...(hasNames ? ['Panel'] : []),
        <QuantityHead key={x} feature={x} />,
        ...numberHeads(
          <>
            n<small />
          </>,
          ...['25%', 'Median', '75%'].map((text) => <QuantityHead key={text} feature={y} text={text} />),
        ),
      ]}
    >
      {rows.map(({ name, from, to, count, q25, median, q75 }) => (
        <tr key={`${name ?? ''} ${from}`}>
          {hasNames && <td>{name}</td>}
          <th scope="row">{from === to ? text(x, from) : `${text(x, from)}–${text(x, to)}`}</th>
          <td class="number">{count}</td>
          {[q25, median, q75].map((value, at) => (
            <td key={at} class="number">
              {computedText(shown(y, value, units))}
            </td>
          ))}
        </tr>
      ))}
    </ScrollTable>
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
    <div class="scroll" tabIndex={0} role="group" aria-label="Points as a table">
      <table>
        <Heads
          of={['Record', ...numberHeads(<QuantityHead feature={x} />, <QuantityHead feature={y} />), keyName(color)]}
        />
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
