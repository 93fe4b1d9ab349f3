import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ExploreData, Window } from '@esd/pages/explore-data';
import { defaultView, type ExploreView, viewQuery, withFilter, withRange } from '@esd/pages/explore-view';
import { exploration, type Step } from '../../src/explore/state.ts';
import { provideRareViews } from '../../src/explore/tab-views.ts';
import { fakeFetch, settle, until } from '../fake-fetch.ts';

const calls = fakeFetch();
const pushed: string[] = [];
const replaced: string[] = [];
let address = new URL('http://localhost/explore');
const reload = jest.fn();

Object.assign(globalThis, {
  history: {
    pushState: (_: unknown, _title: string, to: string) => {
      pushed.push(to);
      address = new URL(to, address);
    },
    replaceState: (_: unknown, _title: string, to: string) => {
      replaced.push(to);
      address = new URL(to, address);
    },
  },
});
Object.defineProperty(globalThis, 'location', { get: () => Object.assign(address, { reload }), configurable: true });

const records: ExploreData['records'] = [];
const data: ExploreData = {
  revision: 1,
  size: 809,
  total: 809,
  facets: { facets: {} },
  statistics: { total: 809, records: 809, version: 'latest', statistics: {} },
  histograms: {},
  records,
};
const humidity = {
  feature: 'humidity',
  unit: '%',
  scale: 'linear',
  total: 1,
  edges: [1, 2],
  counts: [1],
  missing: 0,
  notConvertible: 0,
  nonPositive: 0,
};
const axis: Window['x'] = { feature: 'voltage', unit: 'kV', scale: 'linear', edges: [1, 2] };
const grid = { version: 'latest', total: 1, records: 1, placed: 1, x: axis, y: axis, cells: [], excluded: [] };
const answer = (members: object = {}) => ({ revision: 1, size: 809, total: 5, ignored: [], ...members });

const polymer =
  (name: string): Step =>
  (view) =>
    withFilter(view, { polymer: name });
const toTable: Step = (view) => ({ ...view, tab: 'table' });
const voltage =
  (min: number): Step =>
  (view) =>
    withRange(view, 'voltage', { min, max: undefined });
const partsOf = (at: number): string[] =>
  new URL(calls[at]?.address ?? '', address).searchParams.get('parts')?.split(',') ?? [];

function open(view: ExploreView = defaultView, base = '') {
  return exploration({ view, data, ignored: [], build: 'this' }, base);
}

beforeEach(() => {
  calls.length = 0;
  pushed.length = 0;
  replaced.length = 0;
  address = new URL('http://localhost/explore');
});
afterEach(async () => {
  jest.useRealTimers();
  // Timers of open requests would delay the end of the process.
  for (const call of calls) call.answer(answer());
  await settle();
});

describe('the URL', () => {
  test('a step writes the view into a new history entry and requests it', () => {
    const desk = open();
    desk.go(polymer('PVA'));
    expect(pushed).toEqual(['/explore?polymer=PVA']);
    expect(calls[0]?.address).toMatch(/^\/explore\?polymer=PVA&parts=/);
  });

  test('every URL is below the base path', () => {
    const desk = open(defaultView, '/esd');
    desk.go(polymer('PVA'));
    expect(pushed).toEqual(['/esd/explore?polymer=PVA']);
    expect(calls[0]?.address).toMatch(/^\/esd\/explore\?/);
    expect(desk.href(defaultView)).toBe('/esd/explore');
  });

  test('a step to the same view does nothing', () => {
    const desk = open();
    desk.go((view) => ({ ...view }));
    expect([pushed, replaced, calls]).toEqual([[], [], []]);
  });

  test('a step to the view of the current URL adds no history entry', () => {
    address = new URL('http://localhost/explore?polymer=PVA');
    const desk = open();
    desk.go(polymer('PVA'));
    expect([pushed, replaced, calls.length]).toEqual([[], [], 1]);
  });

  test('a step of the same kind replaces the history entry of the last one', () => {
    const desk = open();
    desk.go(voltage(5), { sameStep: 'brush.voltage' });
    desk.go(voltage(6), { sameStep: 'brush.voltage' });
    expect(pushed).toEqual(['/explore?voltageMin=5']);
    expect(replaced).toEqual(['/explore?voltageMin=6']);
  });

  test('a step of another kind, or without a kind, adds a history entry', () => {
    const desk = open();
    desk.go(voltage(5), { sameStep: 'brush.voltage' });
    desk.go(voltage(6), { sameStep: 'slide.voltage' });
    desk.go(voltage(7));
    desk.go(voltage(8));
    expect([pushed.length, replaced.length]).toEqual([4, 0]);
  });

  test('going back shows the view of the URL without a new history entry', () => {
    const desk = open();
    desk.go(polymer('PVA'));
    address = new URL('http://localhost/explore?solvent=DMF&tab=table');
    desk.restoreFromUrl();
    expect(desk.view.value).toMatchObject({ filter: [['solvent', 'DMF']], tab: 'table' });
    expect(pushed).toEqual(['/explore?polymer=PVA']);
    expect(calls.at(-1)?.address).toContain('solvent=DMF');
  });

  test('the first step after going back adds a history entry, whatever its kind', () => {
    const desk = open();
    desk.go(voltage(5), { sameStep: 'brush.voltage' });
    address = new URL('http://localhost/explore');
    desk.restoreFromUrl();
    desk.go(voltage(6), { sameStep: 'brush.voltage' });
    expect([pushed.length, replaced.length]).toEqual([2, 0]);
  });

  test('an unknown parameter of the URL is ignored', () => {
    const desk = open();
    address = new URL('http://localhost/explore?polymer=PVA&nonsense=1');
    desk.restoreFromUrl();
    expect(viewQuery(desk.view.value)).toBe('?polymer=PVA');
  });
});

describe('a request', () => {
  test('names all parts of the view after a change of the filter', () => {
    open().go(polymer('PVA'));
    expect(partsOf(0)).toEqual(expect.arrayContaining(['summary', 'facets', 'statistics', 'histogram.voltage']));
  });

  test('names only the parts that the change affects', () => {
    const desk = open({ ...defaultView, tab: 'table' });
    desk.go((view) => ({ ...view, page: 2 }));
    expect(partsOf(0)).toContain('records');
    expect(partsOf(0)).not.toContain('facets');
  });

  test('is not sent if every part of the next view is loaded', () => {
    const desk = exploration({ view: { ...defaultView, tab: 'table' }, data: full(), ignored: [], build: 'this' }, '');
    desk.go((view) => ({ ...view, columns: ['polymer'] }));
    expect(calls).toEqual([]);
    expect(desk.shown.value.view.columns).toEqual(['polymer']);
  });

  test('does not name the parts of earlier responses', async () => {
    const desk = open();
    desk.open('humidity');
    calls[0]?.answer(answer());
    await until(() => desk.shown.value.data.total === 5);
    desk.open('temp');
    expect(partsOf(1)).toEqual(['histogram.temp']);
  });

  test('names a histogram that was opened, once', () => {
    const desk = open();
    desk.open('humidity');
    desk.open('humidity');
    expect(calls.length).toBe(1);
    expect(partsOf(0)).toEqual(['histogram.humidity']);
  });

  test('does not name a histogram that is initially open', () => {
    open().open('voltage');
    expect(calls).toEqual([]);
  });

  test('names opened histograms again after a change of the filter', async () => {
    const desk = open();
    desk.open('humidity');
    calls[0]?.answer(answer());
    await until(() => desk.waiting.value === 0);
    desk.go(polymer('PVA'));
    expect(partsOf(1)).toContain('histogram.humidity');
  });
});

/** Data with every part that the table shows. */
function full(): ExploreData {
  const counts = { papers: 1, stable: { yes: 1, no: 0, unknown: 0 } };
  const tried = { ...counts, total: 1, papersReportingFailures: 0 };
  return {
    ...data,
    summary: {
      total: 1,
      records: 1,
      version: 'latest',
      ...counts,
      tried,
      cannotMatch: [],
      repeats: { records: 0, groups: 0 },
      unexplained: 0,
    },
  };
}

describe('a response', () => {
  test('replaces the results, which are unchanged until then', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    expect(desk.view.value.filter).toEqual([['polymer', 'PVA']]);
    expect(desk.shown.value).toMatchObject({ view: { filter: [] }, data: { total: 809 } });
    calls[0]?.answer(answer({ ignored: ['x'] }));
    await until(() => desk.shown.value.data.total === 5);
    expect(desk.shown.value).toMatchObject({ view: { filter: [['polymer', 'PVA']] }, ignored: ['x'] });
  });

  test('to an older request does not replace the response to a newer one', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    desk.go(polymer('PAN'));
    expect(calls[0]?.signal?.aborted).toBe(true);
    calls[1]?.answer(answer({ total: 2 }));
    await until(() => desk.shown.value.data.total === 2);
    calls[0]?.answer(answer({ total: 1 }));
    await settle();
    expect(desk.shown.value).toMatchObject({ view: { filter: [['polymer', 'PAN']] }, data: { total: 2 } });
  });

  test('to an aborted request is not shown if it arrives first', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    desk.go(polymer('PAN'));
    calls[0]?.answer(answer({ total: 1 }));
    await settle();
    expect(desk.shown.value.data.total).toBe(809);
  });

  test('to the second of two quick steps covers the parts of both', () => {
    const desk = open();
    desk.go(polymer('PVA'));
    desk.go(toTable);
    expect(desk.view.value).toMatchObject({ filter: [['polymer', 'PVA']], tab: 'table' });
    expect(partsOf(1)).toEqual(expect.arrayContaining(partsOf(0)));
  });

  test('to a new filter removes the parts of the previous filter', async () => {
    const desk = exploration(
      { view: defaultView, data: { ...full(), without: { polymer: 3 } }, ignored: [], build: 'this' },
      '',
    );
    desk.go(polymer('PVA'));
    calls[0]?.answer(answer({ facets: { facets: {} } }));
    await until(() => desk.waiting.value === 0 && desk.shown.value.data.total === 5);
    expect(desk.shown.value.data.records).toBeUndefined();
    expect(desk.shown.value.data.without).toBeUndefined();
  });

  test('to a part keeps the other parts', async () => {
    const desk = open();
    desk.open('humidity');
    calls[0]?.answer(answer({ histograms: { humidity } }));
    await until(() => desk.shown.value.data.histograms?.humidity !== undefined);
    expect(desk.shown.value.data).toMatchObject({ records: [], facets: { facets: {} } });
  });

  test('without nearest records removes those of the previous recipe', async () => {
    const desk = exploration(
      {
        view: { ...defaultView, tab: 'nearest', recipe: [['polymer', 'PVA']] },
        data: { ...full(), nearest: 'x' },
        ignored: [],
        build: 'this',
      },
      '',
    );
    desk.go((view) => ({ ...view, recipe: [['polymer', 'PAN']] }));
    calls[0]?.answer(answer());
    await until(() => desk.shown.value.data.total === 5);
    expect(desk.shown.value.data.nearest).toBeUndefined();
    expect(desk.shown.value.data.records).toEqual([]);
  });

  test.each([null, 'x', []])('with the body %j is refused', async (body) => {
    const desk = open();
    desk.go(polymer('PVA'));
    calls[0]?.answer(body);
    await until(() => desk.problem.value !== undefined);
    expect(desk.shown.value.view).toEqual(defaultView);
  });

  test('of another build of the pages reloads the page; the map for a phone waits for the next step', async () => {
    const desk = exploration({ view: defaultView, data: { ...full(), grid }, ignored: [], build: 'this' }, '');
    const other = { 'ESD-Web-Build': 'other' };
    desk.fit(true);
    calls[0]?.answer(answer({ total: 6 }), 200, other);
    await settle();
    expect(reload).not.toHaveBeenCalled();
    desk.go(polymer('PVA'));
    calls[1]?.answer(answer({ total: 6 }), 200, other);
    await until(() => reload.mock.calls.length === 1);
    expect(desk.shown.value).toMatchObject({ view: defaultView, data: { total: 809 } });
    desk.go(polymer('PAN'));
    calls[2]?.answer(answer({ total: 6 }), 200, { 'ESD-Web-Build': 'this' });
    await until(() => desk.shown.value.data.total === 6);
    expect(reload).toHaveBeenCalledTimes(1);
  });
});

describe('a failed request', () => {
  const refusal = { code: 'INTERNAL', message: 'It broke.', requestId: 'r-1' };

  test('shows its message and leaves the results unchanged', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    calls[0]?.answer(refusal, 500);
    await until(() => desk.problem.value !== undefined);
    expect(desk.problem.value).toEqual({ message: 'It broke.', requestId: 'r-1' });
    expect([desk.shown.value.data.total, desk.waiting.value]).toEqual([809, 0]);
  });

  test('is sent again with the same parts', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    calls[0]?.answer(refusal, 500);
    await until(() => desk.problem.value !== undefined);
    desk.again();
    expect(desk.problem.value).toBeUndefined();
    expect(calls[1]?.address).toBe(calls[0]?.address);
    calls[1]?.answer(answer());
    await until(() => desk.shown.value.data.total === 5);
  });

  test('leaves its parts to the next step', async () => {
    const desk = open();
    desk.open('humidity');
    calls[0]?.answer(refusal, 500);
    await until(() => desk.problem.value !== undefined);
    desk.go((view) => ({ ...view, tab: 'table', page: 2 }));
    expect(partsOf(1)).toEqual(expect.arrayContaining(['histogram.humidity', 'records']));
  });

  test('of an older step shows no message', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    desk.go(polymer('PAN'));
    calls[0]?.answer(refusal, 500);
    await settle();
    expect(desk.problem.value).toBeUndefined();
  });

  test('with an invalid response shows a message', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    calls[0]?.answer(['hello']);
    await until(() => desk.problem.value !== undefined);
    expect(desk.problem.value?.message).toMatch(/did not respond/);
  });
});

describe('during a request', () => {
  test('the stage rises after 150 ms, 1 s, and 10 s, and returns to 0 with the response', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const desk = open();
    desk.go(polymer('PVA'));
    const stages = [149, 1, 849, 1, 8_999, 1].map((ms) => {
      jest.advanceTimersByTime(ms);
      return desk.waiting.value;
    });
    expect(stages).toEqual([0, 1, 1, 2, 2, 3]);
    calls[0]?.answer(answer());
    await until(() => desk.waiting.value === 0);
  });

  test('the stage does not rise after the response', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const desk = open();
    desk.go(polymer('PVA'));
    calls[0]?.answer(answer());
    await until(() => desk.shown.value.data.total === 5);
    jest.advanceTimersByTime(20_000);
    expect(desk.waiting.value).toBe(0);
  });

  test('canceling aborts the request, shows a message, and ignores the response', async () => {
    const desk = open();
    desk.go(polymer('PVA'));
    desk.stop();
    expect(calls[0]?.signal?.aborted).toBe(true);
    expect(desk.problem.value?.message).toMatch(/^Canceled/);
    calls[0]?.answer(answer());
    await settle();
    expect([desk.shown.value.data.total, desk.waiting.value]).toEqual([809, 0]);
    desk.again();
    calls[1]?.answer(answer());
    await until(() => desk.shown.value.data.total === 5);
  });
});

test('a tab whose script does not load shows a message, and loads after a retry', async () => {
  provideRareViews(() => Promise.reject(new Error('offline')));
  const desk = open();
  desk.go((view) => ({ ...view, tab: 'papers' }));
  calls[0]?.answer(answer());
  await until(() => desk.problem.value !== undefined);
  expect(desk.problem.value?.message).toMatch(/^This view could not be loaded/);
  const View = () => null;
  provideRareViews({ coverage: View, papers: View, nearest: View, compare: View, download: View, cite: View });
  desk.again();
  calls[1]?.answer(answer());
  await until(() => desk.shown.value.view.tab === 'papers');
});
