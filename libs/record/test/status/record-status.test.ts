import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '@esd/testing/property-runs';
import { nextStatus, recordStatuses } from '../../src/status/record-status.ts';
import type { RecordEvent, RecordStatus } from '../../src/status/record-status.ts';

const write = (kind: 'submit' | 'update', complete: boolean, lenient: boolean): RecordEvent => ({
  kind,
  complete,
  lenient,
});
const states: (RecordStatus | undefined)[] = [undefined, ...recordStatuses];
const events: RecordEvent[] = [
  ...(['submit', 'update'] as const).flatMap((kind) =>
    [true, false].flatMap((complete) => [true, false].map((lenient) => write(kind, complete, lenient))),
  ),
  ...(['approve', 'reject', 'withdraw', 'restore', 'reopen', 'undo'] as const).map((kind) => ({ kind })),
];

/** The outcome of every event in every state: a status or MISSING_FIELDS. Other cases conflict. */
const expected: Record<string, string> = {
  'new submit complete strict': 'PENDING',
  'new submit complete lenient': 'PENDING',
  'new submit incomplete lenient': 'NEEDS_UPDATE',
  'new submit incomplete strict': 'MISSING_FIELDS',
  'PENDING approve': 'APPROVED',
  'PENDING reject': 'REJECTED',
  // The service checks that a record to withdraw is public, and a record to restore is withdrawn.
  'PENDING withdraw': 'REJECTED',
  'APPROVED withdraw': 'REJECTED',
  'REJECTED withdraw': 'REJECTED',
  'NEEDS_UPDATE withdraw': 'REJECTED',
  'REJECTED restore': 'PENDING',
  'REJECTED reopen': 'PENDING',
  'APPROVED undo': 'PENDING',
  'REJECTED undo': 'PENDING',
};
for (const from of recordStatuses) {
  expected[`${from} update complete strict`] = 'PENDING';
  expected[`${from} update complete lenient`] = 'PENDING';
  expected[`${from} update incomplete lenient`] = 'NEEDS_UPDATE';
  expected[`${from} update incomplete strict`] = 'MISSING_FIELDS';
}

const name = (from: RecordStatus | undefined, event: RecordEvent): string => {
  const how =
    'complete' in event ? [event.complete ? 'complete' : 'incomplete', event.lenient ? 'lenient' : 'strict'] : [];
  return [from ?? 'new', event.kind, ...how].join(' ');
};

describe('each state and event', () => {
  const cases = states.flatMap((from) => events.map((event) => [name(from, event), from, event] as const));
  test.each(cases)('%s', (title, from, event) => {
    const next = nextStatus(from, event);
    expect(next.kind === 'moved' ? next.status : next.code).toBe(expected[title] ?? 'CONFLICT');
  });
  test('the table has no impossible cases', () => {
    expect(Object.keys(expected).filter((title) => !cases.some(([known]) => known === title))).toEqual([]);
  });
});

/** Returns whether the service allows the event after the last one. A withdrawal requires a public record. */
const isAllowed = ({ kind }: RecordEvent, isPublic: boolean, last: string | undefined): boolean => {
  if (kind === 'withdraw') return isPublic;
  if (kind === 'undo') return last === 'approve' || last === 'reject';
  return kind === 'restore' ? last === 'withdraw' : kind !== 'reopen' || last !== 'withdraw';
};

test('no sequence of events publishes an unreviewed or incomplete record', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), (history) => {
      let status: RecordStatus | undefined;
      let complete = false;
      let isPublic = false;
      let last: string | undefined;
      for (const event of history) {
        const next = nextStatus(status, event);
        if (next.kind === 'refused' || !isAllowed(event, isPublic, last)) continue;
        expect(recordStatuses).toContain(next.status);
        if (event.kind === 'approve' || event.kind === 'reject') expect([status, complete]).toEqual(['PENDING', true]);
        if ('complete' in event) complete = event.complete;
        // A restore queues the last published data, which were complete.
        if (event.kind === 'restore') complete = true;
        if (event.kind === 'approve' || event.kind === 'withdraw') isPublic = event.kind === 'approve';
        if (event.kind === 'undo' && last === 'approve') isPublic = false;
        status = next.status;
        last = event.kind;
        expect(status === 'APPROVED').toBe(last === 'approve');
        expect(status === 'REJECTED').toBe(last === 'reject' || last === 'withdraw');
        expect(status === 'NEEDS_UPDATE').toBe(!complete && last !== 'withdraw');
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test('a strict caller never leaves a record incomplete', () => {
  const strict = events.filter((event) => !('lenient' in event && event.lenient));
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...strict), { maxLength: 30 }), (history) => {
      let status: RecordStatus | undefined;
      for (const event of history) {
        const next = nextStatus(status, event);
        if (next.kind === 'moved') status = next.status;
        expect(status).not.toBe('NEEDS_UPDATE');
      }
    }),
  );
});
