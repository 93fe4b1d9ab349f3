import { afterAll, describe, expect, test } from '@jest/globals';
import { RecordReviewed, ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import { recordAt } from '@esd/testing/records';
import { sql } from 'kysely';
import { findOwnDecisions } from '../../src/review/own-decisions.ts';
import { approveRecords, rejectRecords } from '../../src/review/review.ts';
import { undoDecision } from '../../src/review/undo-decision.ts';
import { reopenRecord } from '../../src/review/withdraw.ts';
import {
  admin,
  moderator,
  openTestDatabase,
  refusal,
  reviewBy,
  storedRecord,
  storeRecords,
  update,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const bulk = { ...reviewBy(moderator), isBulk: true };
const targets = (ids: readonly number[]) => ids.map((recordId) => ({ recordId }));
async function decided(act: 'approve' | 'reject', ids: readonly number[]): Promise<number> {
  const { decision } =
    act === 'approve'
      ? await approveRecords(database, targets(ids), bulk)
      : await rejectRecords(database, targets(ids), 'No.', bulk);
  if (!decision) throw new Error('the decision has no id');
  return decision.id;
}
const undo = (id: number, caller = moderator) =>
  undoDecision(database, id, () => Promise.resolve([]), reviewBy(caller));
const stateOf = async (id: number) => (await storedRecord(database, id)).record;
/** Marks the waiting events of a subject as published. */
const relay = (subject: string) =>
  sql`update outbox set published_at = now() where published_at is null and subject = ${subject}`.execute(database);
const eventsOf = (decision: number) =>
  sql<{ subject: string }>`
  select subject from outbox join decision on outbox.id = any(approved_event_ids || reviewed_event_ids)
  where decision.id = ${decision} order by sequence`.execute(database);
const newest = async (subject: string) => {
  const outbox = database.selectFrom('outbox').select('body').where('subject', '=', subject);
  return (await outbox.orderBy('sequence', 'desc').limit(1).executeTakeFirstOrThrow()).body;
};
const [APPROVED, REVIEWED, WITHDRAWN] = ['approved', 'reviewed', 'withdrawn'].map((name) => `esd.record.${name}.v1`);

describe('an undone approval', () => {
  test('whose events were not relayed restores the state before it, and publishes and mails nothing', async () => {
    const [corrected = 0, created = 0] = await storeRecords(database, 2);
    await approveRecords(database, targets([corrected]), reviewBy(moderator));
    await update(database, corrected, [recordAt(17)]);
    const before = await Promise.all([corrected, created].map(stateOf));
    const id = await decided('approve', [corrected, created]);
    expect((await eventsOf(id)).rows.map(({ subject }) => subject)).toEqual([APPROVED, APPROVED, REVIEWED]);
    expect((await undo(id)).records).toEqual([
      { recordId: corrected, status: 'PENDING', revision: 2 },
      { recordId: created, status: 'PENDING', revision: 1 },
    ]);
    expect(await Promise.all([corrected, created].map(stateOf))).toEqual(before);
    expect((await eventsOf(id)).rows).toEqual([]);
  });

  test('is withdrawn and awaits review again once its events were relayed, without a mail in the first minute', async () => {
    const [id = 0] = await storeRecords(database, 1);
    const decision = await decided('approve', [id]);
    await relay(APPROVED ?? '');
    expect((await undo(decision)).records).toEqual([{ recordId: id, status: 'PENDING', revision: 3 }]);
    expect(await stateOf(id)).toEqual({ status: 'PENDING', revision: 3, published: null });
    expect(RecordWithdrawn.decode(await newest(WITHDRAWN ?? ''))).toMatchObject({
      recordId: id,
      recordRevision: 2,
      reason: 'approved by mistake',
    });
    expect((await eventsOf(decision)).rows.map(({ subject }) => subject)).toEqual([APPROVED]);
  });

  test('notifies the owner who was mailed about it', async () => {
    const [id = 0] = await storeRecords(database, 1);
    const decision = await decided('approve', [id]);
    await relay(APPROVED ?? '');
    await relay(REVIEWED ?? '');
    await undo(decision);
    expect(RecordReviewed.decode(await newest(REVIEWED ?? ''))).toMatchObject({
      reason: 'approved by mistake; awaits review again',
      decisions: [{ recordId: id, recordRevision: 3, change: ReviewChange.REVIEW_CHANGE_WITHDRAWN }],
    });
  });

  test('is refused while a release contains any of its records', async () => {
    const ids = await storeRecords(database, 40);
    const decision = await decided('approve', ids);
    const last = ids.at(-1) ?? 0;
    const releasesOf = (id: number) => Promise.resolve(id === last ? ['v1.0.0'] : []);
    expect(await refusal(undoDecision(database, decision, releasesOf, reviewBy(moderator)))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('v1.0.0'),
    });
    expect(await stateOf(last)).toMatchObject({ status: 'APPROVED' });
  });
});

describe('an undone rejection', () => {
  test('returns its records to the queue once, for the moderator who decided or an ADMIN', async () => {
    const ids = await storeRecords(database, 2);
    const decision = await decided('reject', ids);
    const other = { ...moderator, accountId: '0190d2b0-0000-7000-8000-00000000000f' };
    expect(await refusal(undo(decision, other))).toMatchObject({ code: 'DECISION_NOT_FOUND' });
    expect((await undo(decision, admin)).records.map(({ status }) => status)).toEqual(['PENDING', 'PENDING']);
    expect((await eventsOf(decision)).rows).toEqual([]);
    expect(await refusal(undo(decision))).toMatchObject({ code: 'CONFLICT' });
  });

  test('is refused with the records that changed since, and undoes none', async () => {
    const [changed = 0, unchanged = 0] = await storeRecords(database, 2);
    const decision = await decided('reject', [changed, unchanged]);
    await reopenRecord(database, { recordId: changed }, reviewBy(moderator));
    await rejectRecords(database, targets([changed]), 'Still no.', reviewBy(moderator));
    const { code, errors } = await refusal(undo(decision));
    expect([code, errors]).toEqual(['CONFLICT', [expect.objectContaining({ recordId: changed, status: 'REJECTED' })]]);
    expect(await stateOf(unchanged)).toMatchObject({ status: 'REJECTED' });
  });

  test('is refused after 24 hours', async () => {
    const decision = await decided('reject', await storeRecords(database, 1));
    await sql`update decision set undo_until = now() where id = ${decision}`.execute(database);
    expect(await refusal(undo(decision))).toMatchObject({ code: 'CONFLICT' });
  });
});

test('the list has one entry for a bulk decision, before and after it was undone', async () => {
  const caller = { ...moderator, accountId: '0190d2b0-0000-7000-8000-0000000000aa' };
  const ids = await storeRecords(database, 3);
  const [single = 0, ...others] = ids;
  await rejectRecords(database, targets([single]), 'Alone.', reviewBy(caller));
  const { decision } = await approveRecords(database, targets(others), { ...reviewBy(caller), isBulk: true });
  const list = async () => {
    const { decisions, total } = await findOwnDecisions(database, caller.accountId, { skip: 0, limit: 10 });
    const rows = decisions.map(({ action, records, undoUntil, undoneAt }) => ({
      action,
      ids: records.map(({ recordId }) => recordId),
      canUndo: undoUntil !== null,
      isUndone: undoneAt !== null,
    }));
    return { rows, total };
  };
  const alone = { action: 'reject', ids: [single], canUndo: false, isUndone: false };
  const together = { action: 'approve', ids: others, canUndo: true, isUndone: false };
  expect(await list()).toEqual({ rows: [together, alone], total: 2 });
  await undo(decision?.id ?? 0, caller);
  expect(await list()).toEqual({ rows: [{ ...together, canUndo: false, isUndone: true }, alone], total: 2 });
});
