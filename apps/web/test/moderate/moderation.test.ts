import { beforeEach, describe, expect, test } from '@jest/globals';
import { RequestError, type RequestOptions } from '../../src/client/request.ts';
import { viewOf, searchOf } from '../../src/moderate/address.ts';
import { moderation } from '../../src/moderate/moderation.ts';
import { settle } from '../fake-fetch.ts';

interface Call extends RequestOptions {
  readonly path: string;
  readonly answer: (body: unknown, tag?: string) => Promise<void>;
  readonly refuse: (status: number, body?: unknown) => Promise<void>;
}

const pushed: string[] = [];
const replaced: string[] = [];
let address = new URL('http://localhost/moderate');
Object.assign(globalThis, {
  history: {
    pushState: (_: unknown, _title: string, to: string) => pushed.push(to),
    replaceState: (_: unknown, _title: string, to: string) => replaced.push(to),
  },
});
Object.defineProperty(globalThis, 'location', { get: () => address });

beforeEach(() => {
  pushed.length = 0;
  replaced.length = 0;
});

function start(search = '') {
  address = new URL(`http://localhost/moderate${search}`);
  const calls: Call[] = [];
  const desk = moderation({
    request: (path, options = {}) =>
      new Promise((resolve, reject) => {
        calls.push({
          ...options,
          path,
          answer: async (body, tag = '"1"') => {
            resolve({ status: 200, headers: new Headers({ ETag: tag }), body });
            await settle();
          },
          refuse: async (status, body) => {
            reject(new RequestError(status, body));
            await settle();
          },
        });
      }),
  });
  /** Returns the latest request whose path begins with `path`. */
  const call = (path: string): Call => {
    const found = calls.findLast((one) => one.path.startsWith(path));
    if (!found) throw new Error(`There is no request to ${path} in ${calls.map((one) => one.path).join()}.`);
    return found;
  };
  return { desk, calls, call };
}

const entry = (recordId: number) => ({
  recordId,
  revision: recordId * 10,
  status: 'PENDING',
  submissionId: 1,
  waitedSeconds: 1,
  polymers: ['PVA'],
  warningCount: 0,
});
const review = (recordId: number, history: readonly object[] = []) => ({
  recordId,
  revision: recordId * 10,
  status: 'PENDING',
  submissionId: 1,
  waitedSeconds: 1,
  record: {},
  duplicates: [],
  missingFields: [],
  warnings: [],
  history,
});
const QUEUE = '/moderation/queue';
const record = (id: number): string => `/moderation/records/${id}`;

/** Creates a desk with some records in the queue, one of which is open. */
async function withQueue(shown = 1, ids: readonly number[] = [1, 2, 3], total = ids.length) {
  const started = start(`?record=${shown}`);
  void started.desk.list();
  void started.desk.open();
  await started.call(QUEUE).answer({ data: ids.map(entry), total });
  await started.call(record(shown)).answer(review(shown), '"tag"');
  return started;
}
const listed = ({ desk }: Pick<Awaited<ReturnType<typeof withQueue>>, 'desk'>): number[] =>
  desk.queue.value.entries.map(({ recordId }) => recordId);

describe('the address', () => {
  test.each([
    ['', ''],
    ['?status=APPROVED&polymer=PVA&record=7', '?status=APPROVED&polymer=PVA&record=7'],
    ['?show=decisions&status=APPROVED', '?show=decisions'],
    ['?status=NONSENSE&record=-1&submissionId=1e3', ''],
    ['?record=1.5', ''],
  ])('%j is normalized to %j', (search, expected) => {
    expect(searchOf(viewOf(search))).toBe(expected);
  });
});

describe('the queue', () => {
  test('is requested with the filters of the address', () => {
    const { desk, call } = start('?status=APPROVED&polymer=PVA');
    void desk.list();
    expect(call(QUEUE).path).toBe(`${QUEUE}?status=APPROVED&skip=0&limit=100&polymer=PVA`);
  });

  test('lists a submission as a whole', () => {
    const { desk, call } = start('?submissionId=7');
    void desk.list();
    expect(call(QUEUE).path).toContain('limit=1000&submissionId=7');
  });

  test('appends the following entries once each', async () => {
    const started = await withQueue(1, [1, 2], 4);
    expect(started.desk.hasMore.value).toBe(true);
    void started.desk.list('end');
    expect(started.call(QUEUE).path).toContain('skip=2');
    await started.call(QUEUE).answer({ data: [entry(2), entry(3), entry(4)], total: 4 });
    expect(listed(started)).toEqual([1, 2, 3, 4]);
    expect(started.desk.hasMore.value).toBe(false);
  });

  test('shows an error and keeps its entries', async () => {
    const started = await withQueue();
    void started.desk.list();
    await started.call(QUEUE).refuse(500);
    expect(started.desk.queue.value.error).toBeInstanceOf(RequestError);
    expect([listed(started), started.desk.queue.value.isLoading]).toEqual([[1, 2, 3], false]);
  });

  test('ignores the response to an older request', async () => {
    const started = start();
    void started.desk.list();
    started.desk.go({ polymer: 'PVA' });
    await started.calls[1]?.answer({ data: [entry(2)], total: 1 });
    await started.calls[0]?.answer({ data: [entry(1)], total: 1 });
    expect(listed(started)).toEqual([2]);
  });

  test('ignores the error of an older request', async () => {
    const { desk, calls } = start();
    void desk.list();
    void desk.list();
    expect(calls[0]?.signal?.aborted).toBe(true);
    await calls[0]?.refuse(500);
    expect(desk.queue.value).toMatchObject({ isLoading: true, error: undefined });
  });

  test('is listed again without a selection for another filter, but not for another record', async () => {
    const { desk, calls } = await withQueue();
    desk.choose(2, true);
    const before = calls.length;
    desk.go({ recordId: 2 });
    expect(calls.slice(before).map(({ path }) => path)).toEqual([record(2)]);
    expect(desk.chosen.value.size).toBe(1);
    desk.go({ polymer: 'PVA' });
    expect(calls.at(-1)?.path).toContain('polymer=PVA');
    expect(desk.chosen.value.size).toBe(0);
  });
});

describe('a record', () => {
  test('of an older request does not replace the one of a newer request', async () => {
    const { desk, call } = start('?record=1');
    void desk.open();
    desk.go({ recordId: 2 });
    await call(record(2)).answer(review(2));
    await call(record(1)).answer(review(1));
    expect(desk.shown.value?.review.recordId).toBe(2);
  });

  test('stays open when an older request fails', async () => {
    const { desk, call } = start('?record=1');
    void desk.open();
    desk.go({ recordId: 2 });
    await call(record(2)).answer(review(2));
    await call(record(1)).refuse(404);
    expect([desk.failure.value, desk.shown.value?.review.recordId]).toEqual([undefined, 2]);
  });

  test('that cannot be read is replaced by the error', async () => {
    const { desk, call } = await withQueue();
    desk.go({ recordId: 9 });
    await call(record(9)).refuse(404);
    expect(desk.shown.value).toBeUndefined();
    expect(desk.failure.value).toMatchObject({ status: 404 });
  });

  test('cannot be decided while another one is loading', async () => {
    const { desk, calls } = await withQueue();
    expect(desk.canDecide.value).toBe(true);
    desk.go({ recordId: 2 });
    expect(desk.canDecide.value).toBe(false);
    await desk.decide('approve');
    expect(calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('is opened from the URL when the browser goes back', async () => {
    const { desk, call } = await withQueue();
    address = new URL('http://localhost/moderate?record=3');
    desk.restoreFromUrl();
    await call(record(3)).answer(review(3));
    expect(desk.shown.value?.review.recordId).toBe(3);
    expect(pushed).toEqual([]);
  });
});

describe('a step', () => {
  test.each<[from: number, by: 1 | -1, to: number]>([
    [1, 1, 2],
    [2, -1, 1],
    [3, 1, 3],
    [1, -1, 1],
    [99, 1, 1],
  ])('from record %d by %d shows record %d', async (from, by, to) => {
    const { desk } = await withQueue(from);
    desk.step(by);
    expect(desk.view.value.recordId).toBe(to);
  });

  test('replaces the history entry', async () => {
    const { desk } = await withQueue();
    desk.step(1);
    expect([pushed, replaced]).toEqual([[], ['/moderate?record=2']]);
  });
});

describe('a decision', () => {
  test('names the revision that was read, and opens the next record', async () => {
    const started = await withQueue(2);
    const { desk, call } = started;
    void desk.decide('approve');
    expect(call(`${record(2)}/approve`)).toMatchObject({ method: 'POST', json: {}, headers: { 'If-Match': '"tag"' } });
    await call(`${record(2)}/approve`).answer({});
    expect(listed(started)).toEqual([1, 3]);
    expect(desk.queue.value.total).toBe(2);
    expect([desk.view.value.recordId, desk.done.value?.text]).toEqual([3, 'Record 2 was approved.']);
  });

  test('on the last record opens the one before', async () => {
    const { desk, call } = await withQueue(3);
    void desk.decide('approve');
    await call(`${record(3)}/approve`).answer({});
    expect(desk.view.value.recordId).toBe(2);
  });

  test('on the only listed record loads the next entries', async () => {
    const { desk, call, calls } = await withQueue(1, [1], 5);
    void desk.decide('approve');
    await call(`${record(1)}/approve`).answer({});
    expect(desk.view.value.recordId).toBeUndefined();
    expect(calls.at(-1)?.path).toContain('skip=0');
  });

  test('sends the reason and clears it afterwards', async () => {
    const { desk, call } = await withQueue();
    desk.setReason(1, 'no fiber');
    desk.setReason(2, 'other');
    void desk.decide('reject', 'no fiber');
    expect(call(`${record(1)}/reject`).json).toEqual({ reason: 'no fiber' });
    await call(`${record(1)}/reject`).answer({});
    expect([desk.reasons.value.get(1), desk.reasons.value.get(2)]).toEqual(['', 'other']);
  });

  test('is sent only once while its response is awaited', async () => {
    const { desk, calls } = await withQueue();
    void desk.decide('approve');
    void desk.decide('approve');
    expect(calls.filter(({ method }) => method === 'POST').length).toBe(1);
    expect(desk.canDecide.value).toBe(false);
  });

  test('on a changed record marks it as old and prevents further decisions', async () => {
    const started = await withQueue();
    void started.desk.decide('approve');
    await started.call(`${record(1)}/approve`).refuse(412);
    expect(started.desk.shown.value?.isOld).toBe(true);
    expect([started.desk.canDecide.value, started.desk.isBusy.value, listed(started)]).toEqual([
      false,
      false,
      [1, 2, 3],
    ]);
  });

  test('that someone else made first is reported, the record leaves the queue, and the reason stays', async () => {
    const started = await withQueue();
    const { desk, call } = started;
    desk.setReason(1, 'no fiber');
    void desk.decide('reject', 'no fiber');
    await call(`${record(1)}/reject`).refuse(409);
    await call(record(1)).answer(review(1, [{ at: '2025-01-01T10:00:00Z', action: 'approve', revision: 10 }]));
    expect(desk.note.value?.title).toMatch(/^Record 1 was approved by someone else at /);
    expect([listed(started), desk.reasons.value.get(1)]).toEqual([[2, 3], 'no fiber']);
  });

  test('without a response is not attributed to someone else', async () => {
    const { desk, call } = await withQueue();
    void desk.decide('approve');
    await call(`${record(1)}/approve`).refuse(0);
    expect(desk.failure.value).toMatchObject({ status: 0 });
    void desk.decide('approve');
    await call(`${record(1)}/approve`).refuse(409);
    await call(record(1)).answer(review(1, [{ at: '2025-01-01T10:00:00Z', action: 'approve', revision: 10 }]));
    expect(desk.note.value?.title).toMatch(/^Record 1 was approved at /);
  });

  test('that fails shows the error and can be repeated', async () => {
    const started = await withQueue();
    void started.desk.decide('approve');
    await started.call(`${record(1)}/approve`).refuse(500);
    expect(started.desk.failure.value).toMatchObject({ status: 500 });
    expect([started.desk.canDecide.value, listed(started)]).toEqual([true, [1, 2, 3]]);
    void started.desk.decide('approve');
    expect(started.desk.failure.value).toBeUndefined();
  });
});

describe('a selection', () => {
  test('has the revisions that were listed, and ignores records that are not', async () => {
    const { desk } = await withQueue();
    desk.choose(1, true);
    desk.choose(3, true);
    desk.choose(99, true);
    expect([...desk.chosen.value]).toEqual([
      [1, 10],
      [3, 30],
    ]);
    desk.choose(1, false);
    expect([...desk.chosen.value.keys()]).toEqual([3]);
    desk.chooseNone();
    expect(desk.chosen.value.size).toBe(0);
  });

  test('has at most 1,000 records', async () => {
    const ids = Array.from({ length: 1_001 }, (_, at) => at + 1);
    const { desk } = await withQueue(1, ids);
    for (const id of ids) desk.choose(id, true);
    expect(desk.chosen.value.size).toBe(1_000);
  });

  test('is decided with its revisions, and the decided records leave the queue', async () => {
    const started = await withQueue();
    const { desk, call } = started;
    desk.choose(1, true);
    desk.choose(2, true);
    void desk.decideMany('reject', 'chosen', 'spam');
    expect(call('/moderation/reject').json).toEqual({ recordIds: [1, 2], revisions: [10, 20], reason: 'spam' });
    await call('/moderation/reject').answer({ records: [{ recordId: 1 }, { recordId: 2 }] });
    expect([listed(started), desk.chosen.value.size, desk.view.value.recordId]).toEqual([[3], 0, 3]);
    expect(desk.done.value?.text).toBe('2 records were rejected.');
  });

  test('of one network is sent as the network, without record ids', async () => {
    const started = await withQueue();
    void started.desk.decideMany('reject', { origin: '10.0.0.0/24' }, 'spam');
    expect(started.call('/moderation/reject').json).toEqual({ origin: '10.0.0.0/24', reason: 'spam' });
    await started.call('/moderation/reject').answer({ records: [{ recordId: 3 }] });
    expect([listed(started), started.desk.view.value.recordId]).toEqual([[1, 2], 1]);
  });

  test('with changed records is not decided; the changed records are reported and deselected, and the queue is listed again', async () => {
    const { desk, call, calls } = await withQueue();
    for (const id of [1, 2, 3]) desk.choose(id, true);
    void desk.decideMany('approve', 'chosen');
    await call('/moderation/approve').refuse(409, {
      errors: [{ recordId: 2, path: 'recordIds[1]', message: 'Record 2 has changed.' }],
    });
    expect(desk.note.value).toEqual({
      title: 'No record was approved: 1 of 3 changed while you were reading.',
      text: 'Record 2 has changed. 2 others are still selected.',
    });
    expect([...desk.chosen.value.keys()]).toEqual([1, 3]);
    expect(calls.at(-1)?.path.startsWith(QUEUE)).toBe(true);
  });

  test('is sent only once while the response is awaited', async () => {
    const { desk, calls } = await withQueue();
    desk.choose(1, true);
    void desk.decideMany('approve', 'chosen');
    void desk.decideMany('approve', 'chosen');
    expect(calls.filter(({ method }) => method === 'POST').length).toBe(1);
  });

  test('stays when its decision fails', async () => {
    const { desk, call } = await withQueue();
    desk.choose(1, true);
    void desk.decideMany('approve', 'chosen');
    await call('/moderation/approve').refuse(503);
    expect(desk.failure.value).toMatchObject({ status: 503 });
    expect([desk.chosen.value.size, desk.isBusy.value]).toEqual([1, false]);
  });
});
