import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import { ATTRIBUTE, type SpanOptions } from '@esd/service/health/traces';
import { SUBJECTS } from './stream.ts';

export interface EventMessage {
  /** The message id; undefined for an event that another program published without one. */
  id: string | undefined;
  subject: string;
  body: Uint8Array;
}

const BY_RECORD = new Map<string, { decode(bytes: Uint8Array): { recordId: number } }>([
  [SUBJECTS.recordApproved, RecordApproved],
  [SUBJECTS.recordWithdrawn, RecordWithdrawn],
  [SUBJECTS.recordMessage, RecordMessage],
]);

/** Returns the members of a log line about an event. `recordId` is undefined if the event concerns no record. */
export function eventDetails({ id, subject, body }: EventMessage): Record<string, string | number | undefined> {
  return { eventId: id, subject, recordId: recordOf(subject, body) };
}

/** Describes the span of an event, or of the first event of a batch; `contexts` are those of all events. */
export function eventSpan(
  operation: 'send' | 'process',
  { id, subject }: EventMessage,
  contexts: readonly unknown[],
  more: Record<string, string | number> = {},
): SpanOptions {
  return {
    kind: operation === 'send' ? 'PRODUCER' : 'CONSUMER',
    name: `${operation} ${subject}`,
    attributes: () => ({
      [ATTRIBUTE.messagingSystem]: 'nats',
      [ATTRIBUTE.messagingOperation]: operation,
      [ATTRIBUTE.messagingDestination]: subject,
      ...(id === undefined ? {} : { [ATTRIBUTE.messagingId]: id }),
      ...more,
    }),
    contexts,
  };
}

function recordOf(subject: string, body: Uint8Array): number | undefined {
  try {
    if (subject === SUBJECTS.recordReviewed) return RecordReviewed.decode(body).decisions[0]?.recordId;
    return BY_RECORD.get(subject)?.decode(body).recordId;
  } catch {
    return undefined;
  }
}
