import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Points } from '@esd/pages/explore-data';
import { defaultView } from '@esd/pages/explore-view';
import { assignMarks, type NameMarks } from '../../src/plots/name-marks.ts';
import { colorOfMark, markClass, markPath } from '../../src/plots/marks.ts';
import { panelAreas, panelsOf, pathsByMark, placePanels } from '../../src/plots/place-points.ts';

const figure = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null });
const name = fc.option(fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { nil: null });
const rows = fc.array(fc.record({ x: figure, y: figure, color: name, panel: name }), {
  minLength: 60,
  maxLength: 120,
});

function pointsOf(list: readonly { x: number | null; y: number | null; color: string | null }[]): Points {
  return {
    total: list.length,
    records: list.length,
    placed: list.filter(({ x, y }) => x !== null && y !== null).length,
    sampled: false,
    recordId: list.map((_, at) => at + 1),
    x: list.map(({ x }) => x),
    y: list.map(({ y }) => y),
    color: list.map(({ color }) => color),
  };
}

const axes = defaultView.scatter;
const area = { left: 52, right: 352, top: 4, bottom: 300 };

test('points with equal values have different positions near their own, and the same ones each time', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const points = pointsOf(list);
      const place = () => placePanels(points, axes, new Map(), panelsOf(points, axes).panels, [area], false);
      const [panel] = place();
      if (!panel) throw new Error('no panel');
      const { placedPoints, xs, ys } = panel;
      expect(placedPoints.map(({ at }) => at).sort((a, b) => a - b)).toEqual(
        list.flatMap(({ x, y }, at) => (x !== null && y !== null ? [at] : [])),
      );
      for (const { at, x, y } of placedPoints) {
        const [right, up] = [xs.at(points.x[at] ?? NaN), ys.at(points.y[at] ?? NaN)];
        expect(Math.hypot(x - right, y - up)).toBeLessThanOrEqual(9.01);
      }
      const positions = placedPoints.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`);
      expect(new Set(positions).size).toBe(positions.length);
      expect(place()).toMatchObject([{ placedPoints }]);
      const drawn = [...pathsByMark(placedPoints).values()].flat().join('');
      expect(drawn.split('M').length - 1).toBe(placedPoints.length);
    }),
  );
});

test('panels divide the points of the six most frequent names, with medians', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const columns = { panel: list.map(({ panel }) => panel) };
      const points = { ...pointsOf(list), ...columns };
      const { panels, distinct } = panelsOf(points, axes);
      const isWhole = ({ x, y }: { x: number | null; y: number | null }): boolean => x !== null && y !== null;
      const names = new Set(list.filter(isWhole).flatMap(({ panel }) => panel ?? []));
      expect([distinct, panels.length]).toEqual([names.size, Math.min(6, names.size)]);
      for (const { name: own, placed, withoutY, bins } of panels) {
        const inPanel = list.filter(({ panel }) => panel === own);
        const counted = inPanel.filter(isWhole);
        expect(placed).toBe(counted.length);
        expect(withoutY).toBe(inPanel.filter(({ x, y }) => x !== null && y === null).length);
        const countOf = (value: number): number => counted.filter(({ x }) => x === value).length;
        const expected = [1, 2, 3, 4, 5].filter((value) => countOf(value) >= 5);
        expect(bins.map(({ from, count }) => [from, count])).toEqual(expected.map((value) => [value, countOf(value)]));
      }
      const counts = panels.map(({ placed }) => placed);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    }),
  );
});

test('panels do not overlap and fit into the width', () => {
  for (const width of [288, 321, 404, 680, 900]) {
    const { areas, height } = panelAreas(6, width);
    for (const [at, { left, right, bottom }] of areas.entries()) {
      expect(right).toBeLessThanOrEqual(width - 8 + 1e-9);
      expect(bottom).toBeLessThan(height);
      for (const other of areas.slice(at + 1)) {
        expect(other.left >= right || other.top >= bottom || other.right <= left).toBe(true);
      }
    }
  }
});

test('a name keeps its mark over all selections, and the names of a selection have different marks', () => {
  const selection = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnopqrstuvwxy'.split('')), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(selection, { maxLength: 12 }), (selections) => {
      let known: NameMarks = new Map();
      for (const names of selections) {
        const marks = assignMarks(names, known);
        expect([...marks.keys()].sort()).toEqual([...names].sort());
        expect(new Set(marks.values()).size).toBe(names.length);
        for (const one of names) if (known.has(one)) expect(marks.get(one)).toBe(known.get(one));
        known = new Map([...known, ...marks]);
      }
      const looks = [...known.values()].map((mark) => `${markClass(mark)} ${markPath(mark, 0, 0)}`);
      expect(new Set(looks).size).toBe(looks.length);
    }),
  );
});

test('the first five names have five colors, a new name has a color that is not shown, and a mark is reused only when all are taken', () => {
  expect([...assignMarks(['p', 'q', 'r', 's', 't'], new Map()).values()]).toEqual([1, 2, 3, 4, 5]);
  const marks = assignMarks(['q', 'u'], new Map('pqrst'.split('').map((one, at): [string, number] => [one, at + 1])));
  expect(colorOfMark(marks.get('u') ?? 0)).not.toBe(2);
  expect(marks.get('u')).toBeGreaterThan(5);
  const all = new Map(Array.from({ length: 25 }, (_, at): [string, number] => [`known ${at}`, at + 1]));
  expect(assignMarks(['known 0', 'new'], all)).toEqual(
    new Map([
      ['known 0', 1],
      ['new', 2],
    ]),
  );
});
