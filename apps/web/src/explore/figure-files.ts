import type { Points, Window } from '@esd/pages/explore-data';
import { type ExploreView, LATEST } from '@esd/pages/explore-view';
import { snakeCase } from '@esd/record/catalog/snake-case';
import { normalizedColumnOf } from '@esd/record/flatten/normalized-columns';
import { countText, dateText, experimentsText, numberText } from '../format.ts';
import { triedOf } from '../plots/processing-window.tsx';
import { filterWords } from './chips.ts';
import type { Explore } from './state.ts';

/** The captions and data of saved figures. */

/** Returns the caption of a saved figure: the filter, the numbers of experiments and papers, the notes of the plot, and its source. */
export function figureCaption(explore: Explore, plotted: number, notes: string): readonly string[] {
  const { view, data, href } = explore;
  const words = filterWords(view);
  const selection = words === '' ? 'All experiments' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const papers = data.summary ? ` from ${countText(data.summary.papers, 'paper')}` : '';
  const version = view.version === LATEST ? 'latest dataset' : `release ${view.version}`;
  const address = new URL(href(view), location.href).href;
  return [
    `${selection}. n = ${numberText(plotted)} of ${experimentsText(data.total, data.summary?.total)}${papers}.`,
    notes,
    `Source: ${data.cited?.facts.title ?? ''}, ${version}, dataset revision ${data.revision}, ${dateText(new Date().toISOString())}, license ${data.cited?.license ?? ''}, ${address}`,
  ];
}

/** Returns the cells of a processing window as the rows of a file, in the units of the filters. */
export function windowData({ x, y, cells }: Window) {
  const [columnX, columnY] = [normalizedColumnOf[x.feature], normalizedColumnOf[y.feature]];
  const bounds = [columnX, columnY].flatMap((column) => [`${column}_from`, `${column}_to`]);
  const diameters = ['count', 'q25_nm', 'median_nm', 'q75_nm'].map((name) => `fiber_diameter_${name}`);
  const edges = (axis: Window['x'], at: number) => [
    axis.edges[at] ?? null,
    axis.edges[axis.eachValue === true ? at : at + 1] ?? null,
  ];
  const columns = ['experiments', 'papers', 'stable', 'not_stable'];
  return {
    heads: [...bounds, ...columns.map((name) => `tried_${name}`), ...columns, ...diameters],
    rows: cells.map((cell) => {
      const { count, papers, stable, unstable, fiberDiameter } = cell;
      const tried = triedOf(cell);
      return [
        ...[...edges(x, cell.i), ...edges(y, cell.j), tried.count, tried.papers, tried.stable, tried.unstable],
        ...[count, papers, stable, unstable],
        ...[fiberDiameter.count, fiberDiameter.q25, fiberDiameter.median, fiberDiameter.q75],
      ];
    }),
  };
}

/** Returns the points of a plot as the rows of a file, in the units of the filters. */
export function pointsData({ recordId, x, y, color, panel, multiplicity }: Points, axes: ExploreView['scatter']) {
  return {
    heads: [
      'recordId',
      ...[axes.x, axes.y].map((feature) => normalizedColumnOf[feature]),
      snakeCase(axes.color),
      ...(panel ? [`panel_${axes.panels}`] : []),
      ...(multiplicity ? ['records'] : []),
    ],
    rows: recordId.map((id, at) => [
      ...[id, x[at] ?? null, y[at] ?? null, color[at] ?? null],
      ...(panel ? [panel[at] ?? null] : []),
      ...(multiplicity ? [multiplicity[at] ?? 1] : []),
    ]),
  };
}
