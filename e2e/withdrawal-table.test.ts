import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { newAddress } from './support/new-address.ts';

const REASON = 'Why.';
const ACTS = ['approve', 'reject', 'withdraw', 'restore', 'reopen'] as const;
type Act = (typeof ACTS)[number];
type Outcome = 'APPROVED' | 'REJECTED' | 'PENDING' | 'conflict';

let stack: TestStack;
let api: Api;
let admin: string;
let moderator: string;
let moderatorPat: string;
let user: string;
/** The owner of the records; a moderator, who may not decide on them. */
let author: string;
let authorPat: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  const first = await newAdmin(stack, api);
  admin = first.token;
  const newAccount = async (name: string, role: 'USER' | 'MODERATOR') =>
    login(api, (await addAccount(stack, first.who, newAddress(name), role)).who);
  [moderator, user, author] = [
    await newAccount('decides', 'MODERATOR'),
    await newAccount('user', 'USER'),
    await newAccount('author', 'MODERATOR'),
  ];
  const patOf = async (bearer: string) => {
    const made = await api.post('/auth/tokens', { name: 'script' }, { bearer });
    return z.object({ token: z.string() }).parse(made.json).token;
  };
  [moderatorPat, authorPat] = [await patOf(moderator), await patOf(author)];
});
afterAll(() => stack.stop());

const complete = (voltage: number) => recordAt(voltage, 'PCL');
const { polymerProperty: _, ...incomplete } = complete(12);
const ask = (act: Act, id: number, bearer?: string): Promise<Answer> =>
  api.post(
    `/moderation/records/${id}/${act}`,
    act === 'reject' || act === 'withdraw' ? { reason: REASON } : '',
    bearer === undefined ? {} : { bearer },
  );
const update = (id: number, record: object, bearer?: string): Promise<Answer> =>
  api.put(`/data/update/${id}`, { experimentData: [record] }, bearer === undefined ? {} : { bearer });

/** A step on the way to a state, for each of some records. */
type Step = (id: number) => Promise<Answer>;
const decide =
  (act: Act): Step =>
  (id) =>
    ask(act, id, moderator);
const edit: Step = (id) => update(id, complete(20), author);
const editIncompletely: Step = (id) => update(id, incomplete, authorPat);

interface State {
  readonly steps: readonly Step[];
  readonly sent?: object;
  readonly status: Exclude<Outcome, 'conflict'> | 'NEEDS_UPDATE';
  readonly isPublic?: true;
  /** True until an approval publishes it again. */
  readonly isWithdrawn?: true;
  /** The results of a moderator's decisions; any other decision is a conflict. */
  readonly after: Partial<Record<Act, Outcome>>;
}

const DECIDED = { approve: 'APPROVED', reject: 'REJECTED' } as const;
const withdrawn = [decide('approve'), decide('withdraw')];
const states: Readonly<Record<string, State>> = {
  'awaits review': { steps: [], status: 'PENDING', after: DECIDED },
  'lacks fields': { steps: [], sent: incomplete, status: 'NEEDS_UPDATE', after: {} },
  rejected: { steps: [decide('reject')], status: 'REJECTED', after: { reopen: 'PENDING' } },
  public: { steps: [decide('approve')], status: 'APPROVED', isPublic: true, after: { withdraw: 'REJECTED' } },
  'public, with an edit that awaits review': {
    steps: [decide('approve'), edit],
    status: 'PENDING',
    isPublic: true,
    after: { ...DECIDED, withdraw: 'REJECTED' },
  },
  'public, with an edit that lacks fields': {
    steps: [decide('approve'), editIncompletely],
    status: 'NEEDS_UPDATE',
    isPublic: true,
    after: { withdraw: 'REJECTED' },
  },
  'public, with an edit that was rejected': {
    steps: [decide('approve'), edit, decide('reject')],
    status: 'REJECTED',
    isPublic: true,
    after: { withdraw: 'REJECTED', reopen: 'PENDING' },
  },
  withdrawn: { steps: withdrawn, status: 'REJECTED', isWithdrawn: true, after: { restore: 'PENDING' } },
  'withdrawn and restored': {
    steps: [...withdrawn, decide('restore')],
    status: 'PENDING',
    isWithdrawn: true,
    after: DECIDED,
  },
  'withdrawn, then changed by its owner': {
    steps: [...withdrawn, edit],
    status: 'PENDING',
    isWithdrawn: true,
    after: DECIDED,
  },
  'withdrawn, changed by its owner, rejected': {
    steps: [...withdrawn, edit, decide('reject')],
    status: 'REJECTED',
    isWithdrawn: true,
    after: { restore: 'PENDING', reopen: 'PENDING' },
  },
};

const ownRecords = z.array(
  z.looseObject({
    recordId: z.int(),
    status: z.string(),
    publishedRevision: z.int().optional(),
    withdrawn: z.looseObject({}).optional(),
  }),
);
/** Returns for each record its status, whether it is public and whether it is withdrawn, as its owner sees it. */
async function seen(ids: readonly number[]): Promise<(readonly [string, boolean, boolean])[]> {
  const listed = ownRecords.parse((await api.get('/data/my-records', { bearer: author })).json);
  const byId = new Map(listed.map((one) => [one.recordId, one]));
  return ids.map((id) => {
    const found = byId.get(id);
    return [found?.status ?? 'gone', found?.publishedRevision !== undefined, found?.withdrawn !== undefined];
  });
}

test.each(Object.entries(states))(
  'a record that is %s: every decision by every role',
  async (_name, { steps, sent = complete(12), status, isPublic = false, isWithdrawn = false, after }) => {
    const rows = ACTS.flatMap((act) => [
      { act, by: moderator },
      { act, by: admin },
    ]);
    // The owner changes the last record.
    const experimentData = Array.from({ length: rows.length + 1 }, () => sent);
    const ids = await submitRecords(api, { experimentData }, authorPat);
    const [changed = 0] = ids.slice(-1);
    for (const step of steps) for (const id of ids) expect((await step(id)).status).toBe(200);
    const before = ids.map(() => [status, isPublic, isWithdrawn]);
    expect(await seen(ids)).toEqual(before);

    // Callers without permission do not learn the state, and change nothing.
    for (const [index, act] of ACTS.entries()) {
      const id = ids[2 * index] ?? 0;
      expectError(await ask(act, id), 401, 'AUTH_REQUIRED');
      expectError(await ask(act, id, user), 403, 'FORBIDDEN');
      expectError(await ask(act, id, moderatorPat), 403, 'SESSION_REQUIRED');
      expectError(await ask(act, id, author), 403, 'FORBIDDEN', /your own/);
    }
    expectError(await update(changed, complete(21)), 401, 'AUTH_REQUIRED');
    for (const bearer of [user, moderator, admin])
      expectError(await update(changed, complete(21), bearer), 404, 'RECORD_NOT_FOUND');
    expect(await seen(ids)).toEqual(before);

    const expected = [];
    for (const [index, { act, by }] of rows.entries()) {
      const outcome = after[act] ?? 'conflict';
      const answer = await ask(act, ids[index] ?? 0, by);
      if (outcome === 'conflict') {
        expectError(answer, 409, 'CONFLICT');
        expected.push([status, isPublic, isWithdrawn]);
        continue;
      }
      expect([act, answer.status, answer.json]).toEqual([act, 200, expect.objectContaining({ status: outcome })]);
      const isPublicThen = act === 'approve' || (isPublic && act !== 'withdraw');
      const isWithdrawnThen = act === 'withdraw' || (isWithdrawn && act !== 'approve');
      expected.push([outcome, isPublicThen, isWithdrawnThen]);
    }
    expect((await update(changed, complete(21), author)).status).toBe(200);
    expect(await seen(ids)).toEqual([...expected, ['PENDING', isPublic, isWithdrawn]]);
  },
  300_000,
);
