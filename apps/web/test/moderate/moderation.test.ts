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
Object.defineProperty(globalThis, 'location', { get: () => address, configurable: true });

beforeEach(() => {
  pushed.length = 0;
  replaced.length = 0;
});

function start(search = '', loadDetails = () => Promise.resolve()) {
  address = new URL(`http://localhost/moderate${search}`);
  const calls: Call[] = [];
  const desk = moderation({
    loadDetails,
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
  summary: '',
  answered: false,
});
const counts = { all: 3, new: 3, corrections: 0, answered: 0, warnings: 0, anonymous: 0 };
const submissionEntry = (submissionId: number) => ({
  submissionId,
  waitingSince: '2026-01-01T00:00:00Z',
  records: { PENDING: 3, APPROVED: 0, REJECTED: 0, NEEDS_UPDATE: 0 },
  polymers: ['PVA'],
  warningCount: 0,
  summary: '',
  answered: false,
});
const row = (recordId: number, change: object = {}) => ({
  recordId,
  revision: recordId * 10,
  status: 'PENDING',
  values: {},
  warnings: [],
  changed: [],
  duplicates: [],
  answered: false,
  ...change,
});
const tableOf = (submissionId: number, rows: readonly object[]) => ({ submissionId, columns: [], rows });
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
  unread: 0,
});
const QUEUE = '/moderation/queue';
const SUBMISSIONS = '/moderation/submissions?';
const submission = (id: number): string => `/moderation/submissions/${id}`;
const record = (id: number): string => `/moderation/records/${id}`;

/** Creates a desk with some records in the queue, one of which is open. */
async function withQueue(shown = 1, ids: readonly number[] = [1, 2, 3], total = ids.length) {
  const started = start(`?list=records&record=${shown}`);
  void started.desk.list();
  void started.desk.open();
  await started.call(QUEUE).answer({ data: ids.map(entry), total, counts });
  await started.call(record(shown)).answer(review(shown), '"tag"');
  return started;
}
const listed = ({ desk }: Pick<Awaited<ReturnType<typeof withQueue>>, 'desk'>): number[] =>
  desk.records.queue.value.entries.map(({ recordId }) => recordId);

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
    expect(call(QUEUE).path).toBe(`${QUEUE}?status=APPROVED&kind=all&skip=0&limit=100&polymer=PVA`);
  });

  test('lists submissions without a filter by text, of the kind of the address', () => {
    const { desk, call } = start('?kind=new');
    void desk.list();
    expect(call(SUBMISSIONS).path).toBe(`${SUBMISSIONS}status=PENDING&kind=new&skip=0&limit=100`);
  });

  test('appends the following entries once each', async () => {
    const started = await withQueue(1, [1, 2], 4);
    expect(started.desk.records.hasMore.value).toBe(true);
    void started.desk.records.list('end');
    expect(started.call(QUEUE).path).toContain('skip=2');
    await started.call(QUEUE).answer({ data: [entry(2), entry(3), entry(4)], total: 4, counts });
    expect(listed(started)).toEqual([1, 2, 3, 4]);
    expect(started.desk.records.hasMore.value).toBe(false);
  });

  test('shows an error and keeps its entries', async () => {
    const started = await withQueue();
    void started.desk.list();
    await started.call(QUEUE).refuse(500);
    expect(started.desk.records.queue.value.error).toBeInstanceOf(RequestError);
    expect([listed(started), started.desk.records.queue.value.isLoading]).toEqual([[1, 2, 3], false]);
  });

  test('ignores the response to an older request', async () => {
    const started = start();
    void started.desk.records.list();
    started.desk.go({ polymer: 'PVA' });
    await started.calls[1]?.answer({ data: [entry(2)], total: 1, counts });
    await started.calls[0]?.answer({ data: [entry(1)], total: 1, counts });
    expect(listed(started)).toEqual([2]);
  });

  test('ignores the error of an older request', async () => {
    const { desk, calls } = start('?list=records');
    void desk.list();
    void desk.list();
    expect(calls[0]?.signal?.aborted).toBe(true);
    await calls[0]?.refuse(500);
    expect(desk.records.queue.value).toMatchObject({ isLoading: true, error: undefined });
  });

  test('is listed again for another filter, but not for another record', async () => {
    const { desk, calls } = await withQueue();
    const before = calls.length;
    desk.go({ recordId: 2 });
    expect(calls.slice(before).map(({ path }) => path)).toEqual([record(2)]);
    desk.go({ polymer: 'PVA' });
    expect(calls.at(-1)?.path).toContain('polymer=PVA');
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

  test('is not shown without the script that shows it, and can be opened again', async () => {
    let scripts = [() => Promise.reject(new RequestError(0, { message: 'No script.' })), () => Promise.resolve()];
    const { desk, call } = start('?record=1', () => {
      const [next = () => Promise.resolve(), ...left] = scripts;
      scripts = left;
      return next();
    });
    void desk.open();
    await call(record(1)).answer(review(1));
    expect([desk.shown.value, desk.canDecide.value]).toEqual([undefined, false]);
    expect(desk.failure.value).toMatchObject({ message: 'No script.' });
    void desk.open();
    await call(record(1)).answer(review(1));
    expect([desk.failure.value, desk.shown.value?.review.recordId]).toEqual([undefined, 1]);
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
    address = new URL('http://localhost/moderate?list=records&record=3');
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
    expect([pushed, replaced]).toEqual([[], ['/moderate?list=records&record=2']]);
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
    expect(desk.records.queue.value.total).toBe(2);
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

  test.each<[status: string, title: RegExp, toast: string | undefined]>([
    ['APPROVED', /^$/, 'Record 1 was approved.'],
    ['PENDING', /did not respond in 10 seconds/, undefined],
  ])('without a response is read, not sent again: %s', async (status, title, toast) => {
    const { desk, call, calls } = await withQueue();
    void desk.decide('approve');
    expect(call(`${record(1)}/approve`).deadlineMs).toBe(10_000);
    await call(`${record(1)}/approve`).refuse(0);
    await call(record(1)).answer({ ...review(1), status });
    expect(desk.note.value?.title ?? '').toMatch(title);
    expect(desk.done.value?.text).toBe(toast);
    expect(calls.filter(({ method }) => method === 'POST').length).toBe(1);
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

describe('the table of a submission', () => {
  async function withTable(rows: readonly object[] = [row(1), row(2), row(3)], search = '?submissionId=7') {
    const started = start(search);
    void started.desk.list();
    void started.desk.openTable();
    await started.call(SUBMISSIONS).answer({ data: [submissionEntry(7), submissionEntry(8)], total: 2, counts });
    await started.call(submission(7)).answer(tableOf(7, rows));
    return started;
  }
  const APPROVE = '/moderation/approve';
  const DECIDED = { records: [], decision: { id: 9 } };
  const approveAll = ({ desk }: Pick<Awaited<ReturnType<typeof withTable>>, 'desk'>): void =>
    void desk.decideRows('approve', desk.submission.targets.value);

  test('approves the selected rows, with the revisions that it shows, and leaves the others pending', async () => {
    const started = await withTable([row(1), row(2), row(3), row(4, { status: 'APPROVED' })]);
    const { desk, call } = started;
    for (const id of [1, 3, 4, 99]) desk.submission.select(id, true);
    approveAll(started);
    expect(call(APPROVE)).toMatchObject({ json: { recordIds: [1, 3], revisions: [10, 30] }, deadlineMs: 10_000 });
    await call(APPROVE).answer(DECIDED);
    expect(desk.done.value?.text).toBe('2 records were approved.');
    expect(desk.submission.pending.value.map(({ recordId }) => recordId)).toEqual([2]);
    expect([desk.view.value.submissionId, [...desk.submission.selected.value]]).toEqual([7, []]);
  });

  test('decides on all pending rows if none is selected', async () => {
    const { desk } = await withTable([row(1), row(2), row(4, { status: 'APPROVED' })]);
    expect(desk.submission.targets.value.map(({ recordId }) => recordId)).toEqual([1, 2]);
  });

  const high = { path: '', column: null, code: 'RATIO_SUM', message: 'The ratios add up to 90 %.', severity: 'high' };
  const low = { path: '', column: null, code: 'LEGACY_NAME', message: 'An older spelling.', severity: 'low' };
  const rows = (count: number, change: object) => Array.from({ length: count }, (_, at) => row(at + 1, change));

  test.each<[records: string, table: readonly object[], isConfirmed: boolean]>([
    ['20 records with warnings of low severity', rows(20, { warnings: [low] }), false],
    ['21 records', rows(21, {}), true],
    ['a record with a warning of high severity', rows(2, { warnings: [low, high] }), true],
    ['a record with a likely duplicate', rows(2, { duplicates: [9] }), true],
  ])('is approved with a confirmation, or without: %s', async (_, table, isConfirmed) => {
    const { desk, calls } = await withTable(table);
    const sent = () => calls.filter(({ method }) => method === 'POST').length;
    void desk.decideRows('approve', desk.submission.targets.value);
    expect([desk.approval.value !== undefined, sent()]).toEqual([isConfirmed, isConfirmed ? 0 : 1]);
    void desk.approval.value?.send();
    expect(sent()).toBe(1);
  });

  test('lists the warnings of an approval, those of high severity first', async () => {
    const { desk } = await withTable([row(1, { warnings: [low] }), row(2, { warnings: [low, high] }), row(3)]);
    void desk.decideRows('approve', desk.submission.targets.value);
    expect(desk.approval.value).toMatchObject({
      title: 'Approve 3 records?',
      warnedCount: 2,
      warnings: [
        { text: high.message, isHigh: true, count: 1 },
        { text: low.message, isHigh: false, count: 2 },
      ],
    });
  });

  test('opens the next submission when every record is decided', async () => {
    const started = await withTable();
    approveAll(started);
    await started.call(APPROVE).answer(DECIDED);
    expect(started.desk.view.value.submissionId).toBe(8);
    expect(started.desk.submissions.queue.value.entries.map(({ submissionId }) => submissionId)).toEqual([8]);
  });

  test('offers to undo a decision, and then loads the records again', async () => {
    const started = await withTable();
    const { desk, call, calls } = started;
    approveAll(started);
    await call(APPROVE).answer(DECIDED);
    desk.done.value?.undo?.();
    const before = calls.length;
    await call('/moderation/decisions/9/undo').answer({ message: '3 records returned to the review queue.' });
    expect(desk.done.value).toEqual({ text: '3 records returned to the review queue.' });
    expect(calls.slice(before).map(({ path }) => path)).toContainEqual(expect.stringContaining(SUBMISSIONS));
  });

  test('reports why a decision cannot be undone', async () => {
    const started = await withTable();
    approveAll(started);
    await started.call(APPROVE).answer(DECIDED);
    started.desk.done.value?.undo?.();
    const errors = [{ path: 'id', code: 'CONFLICT', message: 'Record 1 changed since the decision.' }];
    await started.call('/moderation/decisions/9/undo').refuse(409, { errors });
    expect(started.desk.done.value).toEqual({ text: 'Record 1 changed since the decision.' });
  });

  test('marks the rows of a refused decision, keeps the selection, and approves the others', async () => {
    const started = await withTable([row(1), row(2), row(3), row(4)]);
    const { desk, call } = started;
    for (const id of [1, 2, 4]) desk.submission.select(id, true);
    approveAll(started);
    await call(APPROVE).refuse(409, {
      errors: [
        { recordId: 1, path: 'recordIds[0]', code: 'CONFLICT', message: 'x', status: 'APPROVED', revision: 10 },
        {
          recordId: 2,
          path: 'recordIds[1]',
          code: 'PRECONDITION_FAILED',
          message: 'x',
          status: 'PENDING',
          revision: 21,
        },
      ],
    });
    await call(QUEUE).answer({ data: [{ recordId: 1, waitingSince: '2026-01-01T14:03:00Z' }] });
    expect(call(QUEUE).path).toContain('submissionId=7&status=APPROVED');
    const { marks, selected } = desk.submission;
    expect(marks.value.get(1)).toMatch(/^approved by another moderator at \d\d:03$/);
    expect(marks.value.get(2)).toBe('changed while you were reading');
    expect([...selected.value]).toEqual([1, 2, 4]);
    approveAll(started);
    expect(call(APPROVE).json).toEqual({ recordIds: [4], revisions: [40] });
  });

  test.each<[status: string, decided: boolean]>([
    ['APPROVED', true],
    ['PENDING', false],
  ])('without a response reads the states and does not send again: %s', async (status, isDecided) => {
    const started = await withTable();
    approveAll(started);
    await started.call(APPROVE).refuse(0);
    await started.call(submission(7)).answer(
      tableOf(
        7,
        [1, 2, 3].map((id) => row(id, { status })),
      ),
    );
    expect(started.desk.done.value?.text).toBe(isDecided ? '3 records were approved.' : undefined);
    expect(started.desk.note.value?.title).toBe(isDecided ? undefined : 'The service did not respond in 10 seconds.');
    expect(started.calls.filter(({ method }) => method === 'POST').length).toBe(1);
  });

  test('of one record opens that record', async () => {
    const { desk, call } = await withTable([row(5)]);
    expect([desk.view.value.recordId, call(record(5)).path]).toEqual([5, record(5)]);
    desk.back();
    expect([desk.view.value.recordId, desk.view.value.submissionId, desk.cursor.value]).toEqual([
      undefined,
      undefined,
      7,
    ]);
  });

  test('leads to its records and back, and the list has a cursor', async () => {
    const { desk, call } = await withTable();
    desk.step(1);
    desk.enter();
    await call(record(2)).answer(review(2));
    desk.step(1);
    expect(desk.view.value.recordId).toBe(3);
    desk.back();
    expect([desk.view.value.recordId, desk.submission.current.value]).toEqual([undefined, 3]);
    desk.back();
    desk.step(1);
    desk.enter();
    expect(desk.view.value.submissionId).toBe(8);
  });

  test('that answers after another one was opened is ignored', async () => {
    const { desk, calls, call } = await withTable();
    desk.go({ submissionId: 8 });
    const older = call(submission(8));
    desk.go({ submissionId: 7 });
    await call(submission(7)).answer(tableOf(7, [row(1), row(2)]));
    await older.answer(tableOf(8, [row(9), row(10)]));
    expect([desk.submission.table.value?.submissionId, calls.length > 3]).toEqual([7, true]);
  });
});

test('all records of one network are rejected as the network, without record ids', async () => {
  const started = await withQueue();
  void started.desk.rejectOrigin('10.0.0.0/24', 'spam');
  expect(started.call('/moderation/reject').json).toEqual({ origin: '10.0.0.0/24', reason: 'spam' });
  await started.call('/moderation/reject').answer({ records: [{ recordId: 1 }], decision: { id: 9 } });
  expect([listed(started), started.desk.view.value.recordId]).toEqual([[2, 3], 2]);
});
