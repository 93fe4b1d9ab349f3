import { expect, test } from '@jest/globals';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { decodeRecordApproved } from '../../src/publish/record-approved.event.ts';

const approvedAt = new Date('2026-01-01T00:00:00Z');
const encode = (message: Partial<RecordApproved>): Uint8Array =>
  RecordApproved.encode(
    RecordApproved.fromPartial({
      recordId: 1,
      recordRevision: 1,
      recordJson: Buffer.from('{"recordId":1}'),
      approvedAt,
      ...message,
    }),
  ).finish();

test('an event is decoded completely', () => {
  expect(decodeRecordApproved(encode({}))).toEqual({
    recordId: 1,
    recordRevision: 1,
    body: '{"recordId":1}',
    data: { recordId: 1 },
    approvedAt,
  });
});

test.each([
  ['a text', Buffer.from('this is not an event')],
  ['an empty message', Buffer.alloc(0)],
  ['an event without a record id', encode({ recordId: 0 })],
  ['an event without a record revision', encode({ recordRevision: 0 })],
  ['an event without a time', encode({ approvedAt: undefined })],
  ['an event with invalid JSON', encode({ recordJson: Buffer.from('{"recordId":1') })],
  ['an event with invalid UTF-8', encode({ recordJson: Buffer.from([0x22, 0xff, 0x22]) })],
  ['an event with another record', encode({ recordJson: Buffer.from('{"recordId":2}') })],
])('%s is rejected', (_, bytes) => {
  expect(() => decodeRecordApproved(bytes)).toThrow();
});
