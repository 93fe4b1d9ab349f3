import { expect, test } from '@jest/globals';
import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import { eventDetails } from '../src/event-details.ts';
import { SUBJECTS } from '../src/stream.ts';

const bodies: [subject: string, body: Uint8Array, recordId: number | undefined][] = [
  [SUBJECTS.recordApproved, RecordApproved.encode(RecordApproved.create({ recordId: 41 })).finish(), 41],
  [SUBJECTS.recordWithdrawn, RecordWithdrawn.encode(RecordWithdrawn.create({ recordId: 42 })).finish(), 42],
  [SUBJECTS.recordMessage, RecordMessage.encode(RecordMessage.create({ recordId: 43 })).finish(), 43],
  [
    SUBJECTS.recordReviewed,
    RecordReviewed.encode(RecordReviewed.create({ decisions: [{ recordId: 44 }] })).finish(),
    44,
  ],
  [SUBJECTS.recordReviewed, new Uint8Array(), undefined],
  [SUBJECTS.recordApproved, Buffer.from('not a message'), undefined],
  [SUBJECTS.accountDeleted, new Uint8Array(), undefined],
];

test.each(bodies)('the details of %s name the event and its record', (subject, body, recordId) => {
  expect(eventDetails({ id: 'e1', subject, body })).toEqual({ eventId: 'e1', subject, recordId });
});
