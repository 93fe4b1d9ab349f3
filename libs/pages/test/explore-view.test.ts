import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { exactText } from '@esd/record/filter/exact-text';
import { categoryKeys, features } from '@esd/record/filter/filter-keys';
import {
  chosenValues,
  columns,
  defaultView,
  type ExploreView,
  filterOf,
  panelChoices,
  readView,
  recipeKeys,
  recipeOf,
  tabs,
  toggled,
  viewParameters,
  viewQuery,
  needsAllSolvents,
  withValues,
  withRange,
} from '../src/explore-view.ts';

const featureNames = features.map(({ feature }) => feature);
const feature = fc.constantFrom(...featureNames);
const category = fc.constantFrom(...categoryKeys);
const scale = fc.constantFrom('linear' as const, 'log' as const);
const words = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && text !== '');
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));

const chosen = fc
  .uniqueArray(fc.tuple(category, fc.uniqueArray(words, { minLength: 1, maxLength: 3 })), {
    maxLength: 3,
    selector: ([key]) => key,
  })
  .map((pairs) =>
    pairs.map(([key, values]) => [key, key === 'isFormationStable' ? '=no' : exactText(values)] as const),
  );
const ranges = fc
  .uniqueArray(fc.tuple(feature, number, number), { maxLength: 3, selector: ([key]) => key })
  .map((list) =>
    list.flatMap(([key, a, b]) => [
      [`${key}Min`, String(Math.min(a, b))] as const,
      [`${key}Max`, String(Math.max(a, b))] as const,
    ]),
  );

const plainViews: fc.Arbitrary<Omit<ExploreView, 'conditions'>> = fc.record({
  filter: fc.tuple(chosen, ranges).map(([a, b]) => [...b, ...a]),
  version: fc.constantFrom('latest', 'v1.0.0', '10.5281/zenodo.1'),
  repeats: fc.constantFrom('once' as const, 'all' as const),
  tab: fc.constantFrom(...tabs),
  map: fc
    .record({ x: feature, y: feature, by: fc.constantFrom(undefined, 'stable' as const, 'diameter' as const) })
    .filter(({ x, y }) => x !== y),
  scatter: fc.record({
    x: feature,
    y: feature,
    xScale: scale,
    yScale: scale,
    color: category,
    panels: fc.constantFrom(...panelChoices),
  }),
  sort: fc.constantFrom('', 'voltage', '-fiberDiameter,doi'),
  columns: fc.subarray([...columns], { minLength: 1 }),
  page: fc.integer({ min: 1, max: 1_000 }),
  coverage: category,
  recipe: fc.dictionary(fc.constantFrom(...recipeKeys), number).map((values) =>
    recipeKeys.flatMap((key) => {
      const value = values[key];
      if (value === undefined) return [];
      return [[key, key === 'polymer' || key === 'solvent' ? `name ${value}` : String(value)] as const];
    }),
  ),
  compare: fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 6 }),
  differs: fc.boolean(),
});
const views = plainViews.map((view): ExploreView => {
  const parsed = parseFilter(JSON.stringify(filterOf(view)));
  return { ...view, conditions: 'filter' in parsed ? parsed.filter : [] };
});

const fromAddress = (query: string) => readView(new URLSearchParams(query));

test('the URL of a view restores the view', () => {
  fc.assert(
    fc.property(views, (view) => {
      expect(fromAddress(viewQuery(view))).toEqual({ view, ignored: [] });
    }),
  );
});

test('default values are not in the URL', () => {
  expect(viewQuery(defaultView)).toBe('');
  expect(fromAddress('')).toEqual({ view: defaultView, ignored: [] });
  fc.assert(
    fc.property(views, (view) => {
      const parameters = viewParameters(view);
      for (const [at] of parameters.entries()) {
        const fewer = readView(parameters.filter((_, other) => other !== at));
        expect(fewer.view).not.toEqual(view);
      }
    }),
  );
});

test('any URL is parsed: invalid parameters are ignored and reported, valid ones are used', () => {
  const names = fc.oneof(
    words,
    fc.constantFrom('polymer', 'voltageMin', 'page', 'sort', 'columns', 'compare', 'recipe.voltage', 'x', 'mapY'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.oneof(words, fc.constantFrom('1e3', '=', '=a|', '', '1,1')))), (pairs) => {
      const { view, ignored } = readView(pairs);
      expect(readView(viewParameters(view))).toEqual({ view, ignored: [] });
      for (const part of ignored) expect(part).toMatch(/^[^]+=/);
    }),
  );
});

test.each([
  ['polymr=PVDF', ['polymr=PVDF']],
  ['voltageMin=abc&voltageMax=30', ['voltageMin=abc']],
  ['voltageMin=30&voltageMax=5', ['voltageMax=5']],
  ['polymer=PVDF&polymer=PVA', ['polymer=PVA']],
  ['voltageMin=x&voltageMin=5&voltageMin=5.0', ['voltageMin=x', 'voltageMin=5.0']],
  ['tab=cake&page=0&sort=colour', ['tab=cake', 'sort=colour', 'page=0']],
  ['mapX=voltage&mapY=voltage', ['mapY=voltage']],
  ['compare=1,x,1,2,3,4,5,6,7', ['compare=x', 'compare=1', 'compare=7']],
  ['columns=voltage,cake', ['columns=cake']],
  ['recipe.voltage=high', ['recipe.voltage=high']],
  ['utm_source=mail&voltageMin=&q=PVDF&parts=grid', []],
])('in %s the ignored parameters are %j', (query, expected) => {
  expect(fromAddress(query).ignored).toEqual(expected);
});

test('values with any characters are selected and deselected', () => {
  fc.assert(
    fc.property(fc.uniqueArray(words, { minLength: 1, maxLength: 4 }), (values) => {
      const all = values.reduce((view, value) => toggled(view, 'needleType', value), defaultView);
      expect([...chosenValues(all, 'needleType')].sort()).toEqual([...values].sort());
      const none = values.reduce((view, value) => toggled(view, 'needleType', value), { ...all, page: 7 });
      expect(none).toEqual(defaultView);
    }),
  );
  expect(chosenValues(fromAddress('isFormationStable=yes').view, 'isFormationStable')).toEqual(['yes']);
  expect(chosenValues(fromAddress('polymer=PV').view, 'polymer')).toEqual([]);
  // A record must have all selected solvents, or any of them.
  const any = fromAddress('solvent==ACETONE|DMF').view;
  const all = withValues(any, 'solvent', chosenValues(any, 'solvent'), true);
  expect([needsAllSolvents(any), needsAllSolvents(all)]).toEqual([false, true]);
  expect(filterOf(all)).toEqual({ solvent: '=ACETONE & DMF' });
  expect(chosenValues(all, 'solvent')).toEqual(['ACETONE', 'DMF']);
  expect(filterOf(toggled(all, 'solvent', 'THF'))).toEqual({ solvent: '=ACETONE & DMF & THF' });
  expect(filterOf(toggled(all, 'solvent', 'DMF'))).toEqual({ solvent: '=ACETONE' });
});

test('a range is two numbers of the filter, at the position of its first selection', () => {
  const first = toggled(withRange(defaultView, 'voltage', { min: 5, max: 30 }), 'polymer', 'PVDF');
  expect(filterOf(first)).toEqual({ voltageMin: 5, voltageMax: 30, polymer: '=PVDF' });
  const changed = withRange({ ...first, page: 3 }, 'voltage', { min: -0, max: undefined });
  expect([changed.filter, changed.page]).toEqual([
    [
      ['voltageMin', '0'],
      ['polymer', '=PVDF'],
    ],
    1,
  ]);
});

test('repeats count once by default, which needs no parameter', () => {
  const queries = ['', 'repeats=once', 'repeats=all'].map((query) => viewQuery(fromAddress(query).view));
  expect(queries).toEqual(['', '', '?repeats=all']);
  expect(fromAddress('repeats=twice').ignored).toEqual(['repeats=twice']);
});

test('a recipe collects its names one by one, and takes its polymer from the filter', () => {
  const recipe = (query: string) => recipeOf(fromAddress(query).view);
  expect(recipe('recipe.solvent=DMF&recipe.solvent=ACETONE|DMAC&recipe.solvent=')).toEqual([
    ['solvent', 'DMF|ACETONE|DMAC'],
  ]);
  const voltage = ['voltage', '15'];
  expect(recipe('polymer==PVDF&recipe.voltage=15')).toEqual([['polymer', 'PVDF'], voltage]);
  expect(recipe('polymer==PVDF&recipe.voltage=15&recipe.polymer=PVA')).toEqual([['polymer', 'PVA'], voltage]);
  expect(recipe('polymer==PVDF|PVA&recipe.voltage=15')).toEqual([voltage]);
  expect(recipe('polymer=PVDF&recipe.voltage=15')).toEqual([voltage]);
});
