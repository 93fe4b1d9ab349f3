import {
  type CategoryKey,
  categoryKeys,
  type Feature,
  features,
  filterKeys,
  isSystemKey,
  type SystemKey,
} from '@esd/record/filter/filter-keys';
import { type Repeats, repeatsValues } from '@esd/record/filter/repeats';
import { exactText } from '@esd/record/filter/exact-text';
import type { Filter } from '@esd/record/filter/filter';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { parseSort, sortText } from '@esd/record/filter/sort-keys';
import { LATEST } from '@esd/record/metadata/dataset-path';
import { orderedKeys, describedKeys } from '@esd/record/metadata/key-labels';

export { LATEST };

/** The URL of `/explore` contains its whole state. This file parses and writes it. */

export const tabs = ['overview', 'table', 'map', 'scatter', 'coverage', 'papers', 'nearest', 'compare'] as const;
export type Tab = (typeof tabs)[number];

/** The category with one panel for each of its most frequent values; `none` for a single plot. */
export const panelChoices = ['none', 'polymer', 'solvent'] as const;
export type Scale = 'linear' | 'log';
const mapColors = ['stable', 'diameter'] as const;
export type MapColor = (typeof mapColors)[number];
/** A column of the table of records, in addition to the record number. */
export type Column = Feature | Exclude<CategoryKey, SystemKey>;
export type RecipeKey = Feature | 'polymer' | 'solvent';

export const MAX_COMPARED = 6;
const MAX_PAGE = 1_000_000;

export interface ExploreView {
  /** Filter keys with their values as in the filters of the API, in the order of selection. */
  readonly filter: readonly (readonly [key: string, text: string])[];
  /** The conditions of `filter`. Both bounds of a range are one condition. */
  readonly conditions: Filter;
  /** `latest`, or the identifier or DOI of a release. */
  readonly version: string;
  /** Whether the figures count each group of records that repeat each other once. Tables and files always have all records. */
  readonly repeats: Repeats;
  readonly tab: Tab;
  /** The axes of the processing window, which differ, and the value that colors its cells. The default color depends on the data. */
  readonly map: { readonly x: Feature; readonly y: Feature; readonly by: MapColor | undefined };
  readonly scatter: {
    readonly x: Feature;
    readonly y: Feature;
    readonly xScale: Scale;
    readonly yScale: Scale;
    readonly color: CategoryKey;
    readonly panels: (typeof panelChoices)[number];
  };
  /** The sort keys as in the API; empty for record number. */
  readonly sort: string;
  readonly columns: readonly Column[];
  /** The page number, starting at 1. */
  readonly page: number;
  readonly coverage: CategoryKey;
  /** Numbers and names as text, in the order of `recipeKeys`. `|` separates several names. See `recipeOf`. */
  readonly recipe: readonly (readonly [key: RecipeKey, text: string])[];
  /** Record numbers, in the order of selection. */
  readonly compare: readonly number[];
  /** Whether the comparison shows only the fields whose values differ. */
  readonly differs: boolean;
}

const featureNames = features.map(({ feature }) => feature);
export const recipeKeys: readonly RecipeKey[] = orderedKeys.flatMap((key) =>
  key === 'polymer' || key === 'solvent' ? key : (featureNames.find((feature) => feature === key) ?? []),
);

export function defaultScale(feature: Feature): Scale {
  return describedKeys.find(({ key }) => key === feature)?.isLogarithmic ? 'log' : 'linear';
}

/** Every column of the table, in display order. */
export const columns: readonly Column[] = orderedKeys.filter((key): key is Column => !isSystemKey(key));

export const defaultColumns: readonly Column[] = [
  'polymer',
  'solvent',
  'concentration',
  'voltage',
  'flowRate',
  'tipDist',
  'fieldStrength',
  'temp',
  'humidity',
  'isFormationStable',
  'fiberDiameter',
  'variation',
  'doi',
];

export const defaultView: ExploreView = {
  filter: [],
  conditions: [],
  version: LATEST,
  repeats: 'once',
  tab: 'overview',
  map: { x: 'voltage', y: 'tipDist', by: undefined },
  scatter: {
    ...{ x: 'concentration', y: 'fiberDiameter', xScale: 'linear', yScale: 'log' },
    ...{ color: 'solventSystem', panels: 'none' },
  },
  sort: '',
  columns: defaultColumns,
  page: 1,
  coverage: 'polymer',
  recipe: [],
  compare: [],
  differs: false,
};

/** Returns the default y axis of the processing window, which must differ from the x axis. */
function defaultMapY(x: Feature): Feature {
  return x === defaultView.map.y ? defaultView.map.x : defaultView.map.y;
}

const RECIPE = 'recipe.';
const VERSION = /^[^\s\p{Cc}]{1,200}$/u;
/** Tracking parameters that other sites append to links. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid)$/;

/** URL parameters outside the view: `parts` of a data request, `q` of a search. */
const OTHERS = new Set(['parts', 'q']);

/** Parses the parameters of a URL. `ignored` lists the invalid ones as `name=value`. */
export function readView(parameters: Iterable<readonly [string, string]>): {
  view: ExploreView;
  ignored: readonly string[];
} {
  const ignored: string[] = [];
  const values = new Map<string, string>();
  // A form sends its empty fields too.
  const given = [...parameters].filter(
    ([name, value]) => value.trim() !== '' && !OTHERS.has(name) && !TRACKING.test(name),
  );
  const members = given.filter(([name]) => filterKeys.includes(name));
  const { filter, conditions } = readFilter(members.map(([name, value]) => [name, plainText(name, value.trim())]));
  const accepted = new Map(filter);
  for (const [name, value] of given) {
    const text = value.trim();
    const part = `${name}=${value}`;
    if (filterKeys.includes(name)) {
      if (accepted.get(name) !== plainText(name, text) || !accepted.delete(name)) ignored.push(part);
    } else if (recipeKeyOf(name) === 'polymer' || recipeKeyOf(name) === 'solvent') {
      // A form sends each name by itself.
      values.set(name, [...(values.get(name)?.split('|') ?? []), text].join('|'));
    } else if (name === 'compare') {
      // A form adds a record to those of the URL.
      values.set(name, [...(values.get(name)?.split(',') ?? []), text].join(','));
    } else if (values.has(name) || !(NAMES.has(name) || recipeKeyOf(name) !== undefined)) ignored.push(part);
    else values.set(name, text);
  }
  /** Returns the value of a parameter if it is known, otherwise the default. */
  const oneOf = <Value extends string, Fallback extends Value | undefined>(
    name: string,
    known: readonly Value[],
    fallback: Fallback,
  ): Value | Fallback => {
    const text = values.get(name);
    const found = known.find((value) => value === text);
    if (text !== undefined && found === undefined) ignored.push(`${name}=${text}`);
    return found ?? fallback;
  };
  const matching = (name: string, pattern: RegExp, fallback: string): string => {
    const text = values.get(name);
    if (text === undefined || pattern.test(text)) return text ?? fallback;
    ignored.push(`${name}=${text}`);
    return fallback;
  };
  const mapX = oneOf('mapX', featureNames, defaultView.map.x);
  const mapY = oneOf('mapY', featureNames, defaultMapY(mapX));
  if (mapX === mapY) ignored.push(`mapY=${mapY}`);
  const x = oneOf('x', featureNames, defaultView.scatter.x);
  const y = oneOf('y', featureNames, defaultView.scatter.y);
  const scales: readonly Scale[] = ['linear', 'log'];
  const view: ExploreView = {
    filter,
    conditions,
    version: matching('version', VERSION, LATEST),
    repeats: oneOf('repeats', repeatsValues, defaultView.repeats),
    tab: oneOf('tab', tabs, defaultView.tab),
    map: {
      x: mapX,
      y: mapX === mapY ? defaultMapY(mapX) : mapY,
      by: oneOf('mapBy', mapColors, undefined),
    },
    scatter: {
      x,
      y,
      xScale: oneOf('xScale', scales, defaultScale(x)),
      yScale: oneOf('yScale', scales, defaultScale(y)),
      color: oneOf('color', categoryKeys, defaultView.scatter.color),
      panels: oneOf('panels', panelChoices, defaultView.scatter.panels),
    },
    sort: readSort(values.get('sort'), ignored),
    columns: readColumns(values.get('columns'), ignored),
    page: readPage(values.get('page'), ignored),
    coverage: oneOf('coverage', categoryKeys, defaultView.coverage),
    recipe: readRecipe(values, ignored),
    compare: readCompared(values.get('compare'), ignored),
    differs: oneOf('differs', ['1'], undefined) !== undefined,
  };
  return { view, ignored };
}

/** Returns the parameters of a view besides filter and recipe, with their text and that of their default. */
function plainParameters(view: ExploreView): [name: string, text: string, fallback: string][] {
  const { map, scatter, compare } = view;
  const defaultY = defaultMapY(map.x);
  return [
    ['version', view.version, LATEST],
    ['repeats', view.repeats, defaultView.repeats],
    ['tab', view.tab, defaultView.tab],
    ['mapX', map.x, defaultView.map.x],
    ['mapY', map.y, defaultY],
    ['mapBy', map.by ?? '', ''],
    ['x', scatter.x, defaultView.scatter.x],
    ['y', scatter.y, defaultView.scatter.y],
    ['xScale', scatter.xScale, defaultScale(scatter.x)],
    ['yScale', scatter.yScale, defaultScale(scatter.y)],
    ['color', scatter.color, defaultView.scatter.color],
    ['panels', scatter.panels, defaultView.scatter.panels],
    ['sort', view.sort, ''],
    ['columns', view.columns.join(), defaultColumns.join()],
    ['page', String(view.page), '1'],
    ['coverage', view.coverage, defaultView.coverage],
    ['compare', compare.join(), ''],
    ['differs', view.differs ? '1' : '', ''],
  ];
}

const NAMES = new Set(plainParameters(defaultView).map(([name]) => name));

/** Returns the parameters of a view without those that have their default. `readView` restores the view from them. */
export function viewParameters(view: ExploreView): [string, string][] {
  return [
    ...view.filter.map(([key, text]): [string, string] => [key, text]),
    ...plainParameters(view).flatMap(([name, text, fallback]): [string, string][] =>
      text === fallback ? [] : [[name, text]],
    ),
    ...view.recipe.map(([key, text]): [string, string] => [`${RECIPE}${key}`, text]),
  ];
}

/** Returns the query string of a view including `?`; empty for the default view. */
export function viewQuery(view: ExploreView): string {
  const query = new URLSearchParams(viewParameters(view)).toString();
  return query === '' ? '' : `?${query}`;
}

/** Returns the filter of a view in the format of the API. */
export function filterOf({ filter }: Pick<ExploreView, 'filter'>): Record<string, string | number> {
  return Object.fromEntries(filter.map(([key, text]) => [key, isText(key) ? text : Number(text)]));
}

/** Returns the recipe of a view. Without a polymer of its own, it has the one that the filter selects. */
export function recipeOf(view: Pick<ExploreView, 'conditions' | 'recipe'>): ExploreView['recipe'] {
  if (view.recipe.some(([key]) => key === 'polymer')) return view.recipe;
  const [polymer, ...others] = chosenValues(view, 'polymer');
  return polymer === undefined || others.length > 0 ? view.recipe : [['polymer', polymer], ...view.recipe];
}

/** Joins selected names that must all occur; see `jointNames`. */
const JOINT = ' & ';

/** Returns the selected values of a category; empty if the filter is a partial match. */
export function chosenValues({ conditions }: Pick<ExploreView, 'conditions'>, key: CategoryKey): readonly string[] {
  const condition = conditions.find((one) => one.key === key);
  if (condition?.kind === 'flag') return [condition.value ? 'yes' : 'no'];
  if (condition?.kind !== 'values') return [];
  const [value = '', ...others] = condition.values;
  return key === 'solvent' && others.length === 0 ? value.split(JOINT) : condition.values;
}

/** Returns whether a record must have all selected solvents. */
export function needsAllSolvents({ conditions }: Pick<ExploreView, 'conditions'>): boolean {
  const condition = conditions.find(({ key }) => key === 'solvent');
  return condition?.kind === 'values' && condition.values.length === 1 && condition.values[0]?.includes(JOINT) === true;
}

/** Selects values of a category; no value removes the filter. Returns to the first page. */
export function withValues(
  view: ExploreView,
  key: CategoryKey,
  values: readonly string[],
  isAll = key === 'solvent' && needsAllSolvents(view),
): ExploreView {
  const text = exactText(isAll ? [values.join(JOINT)] : values);
  return withFilter(view, { [key]: values.length === 0 ? undefined : text });
}

/** Adds a value of a category, or removes it if it is selected. Returns to the first page. */
export function toggled(view: ExploreView, key: CategoryKey, value: string): ExploreView {
  const chosen = chosenValues(view, key);
  const left = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
  return withValues(view, key, left);
}

/** Replaces the values of some filter keys; undefined removes a key. Returns to the first page. */
export function withFilter(view: ExploreView, texts: Readonly<Record<string, string | undefined>>): ExploreView {
  const changed = view.filter.flatMap(([key, text]): (readonly [string, string])[] => {
    const now = key in texts ? texts[key] : text;
    return now === undefined ? [] : [[key, now]];
  });
  const added = Object.entries(texts).flatMap(([key, text]): (readonly [string, string])[] =>
    text === undefined || view.filter.some(([known]) => known === key) ? [] : [[key, text]],
  );
  const filter = [...changed, ...added];
  return { ...view, filter, conditions: parsed(filter) ?? [], page: 1 };
}

/** Replaces the bounds of a quantity; undefined removes a bound. Returns to the first page. */
export function withRange(
  view: ExploreView,
  feature: Feature,
  bounds: { min: number | undefined; max: number | undefined },
): ExploreView {
  return withFilter(view, { [`${feature}Min`]: numberOrNone(bounds.min), [`${feature}Max`]: numberOrNone(bounds.max) });
}

const numberOrNone = (bound: number | undefined): string | undefined =>
  bound === undefined ? undefined : String(bound === 0 ? 0 : bound);

const textNames = new Set<string>([...categoryKeys, 'status']);

const isText = (key: string): boolean => textNames.has(key);

/** Normalizes the spelling of a number, so that equal filters have the same URL. */
function plainText(key: string, text: string): string {
  const number = Number(text);
  return isText(key) || !Number.isFinite(number) ? text : String(number === 0 ? 0 : number);
}

/** Returns the valid members of a filter: the first of each key, without bounds that contradict an earlier one. */
function readFilter(members: ExploreView['filter']): Pick<ExploreView, 'filter' | 'conditions'> {
  const all = new Set(members.map(([key]) => key)).size === members.length ? parsed(members) : undefined;
  if (all) return { filter: members, conditions: all };
  return members.reduce<Pick<ExploreView, 'filter' | 'conditions'>>(
    (valid, member) => {
      const filter = [...valid.filter, member];
      const conditions = valid.filter.some(([key]) => key === member[0]) ? undefined : parsed(filter);
      return conditions ? { filter, conditions } : valid;
    },
    { filter: [], conditions: [] },
  );
}

function parsed(filter: ExploreView['filter']): Filter | undefined {
  const result = parseFilter(JSON.stringify(filterOf({ filter })));
  return 'filter' in result ? result.filter : undefined;
}

function recipeKeyOf(name: string): RecipeKey | undefined {
  return name.startsWith(RECIPE) ? recipeKeys.find((key) => key === name.slice(RECIPE.length)) : undefined;
}

function readSort(text: string | undefined, ignored: string[]): string {
  if (text === undefined) return '';
  const parsed = parseSort(text);
  if ('sort' in parsed) return sortText(parsed.sort);
  ignored.push(`sort=${text}`);
  return '';
}

function readColumns(text: string | undefined, ignored: string[]): readonly Column[] {
  if (text === undefined) return defaultColumns;
  const names = text.split(',');
  ignored.push(...names.filter((name) => !columns.some((column) => column === name)).map((name) => `columns=${name}`));
  const known = columns.filter((column) => names.includes(column));
  return known.length === 0 ? defaultColumns : known;
}

function readPage(text: string | undefined, ignored: string[]): number {
  const page = Number(text ?? 1);
  if (Number.isInteger(page) && page >= 1 && page <= MAX_PAGE) return page;
  ignored.push(`page=${text ?? ''}`);
  return 1;
}

function readRecipe(values: ReadonlyMap<string, string>, ignored: string[]): ExploreView['recipe'] {
  return recipeKeys.flatMap((key): [RecipeKey, string][] => {
    const name = `${RECIPE}${key}`;
    const text = values.get(name);
    if (text === undefined) return [];
    if (key === 'polymer' || key === 'solvent') return [[key, text]];
    const number = Number(text);
    if (Number.isFinite(number)) return [[key, String(number === 0 ? 0 : number)]];
    ignored.push(`${name}=${text}`);
    return [];
  });
}

function readCompared(text: string | undefined, ignored: string[]): readonly number[] {
  const chosen: number[] = [];
  for (const id of text?.split(',') ?? []) {
    const recordId = Number(id);
    const isOne = /^[1-9]\d{0,14}$/.test(id) && !chosen.includes(recordId) && chosen.length < MAX_COMPARED;
    if (isOne) chosen.push(recordId);
    else ignored.push(`compare=${id}`);
  }
  return chosen;
}
