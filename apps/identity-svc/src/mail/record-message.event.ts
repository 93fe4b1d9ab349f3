import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';

export interface WrittenMessage {
  recordId: number;
  accountIds: string[];
  /** True if the recipients are moderators; false if the recipient is the owner of the record. */
  toModerators: boolean;
  writtenAt: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Decodes an event. Throws if the body is invalid or incomplete. */
export function decodeRecordMessage(bytes: Uint8Array): WrittenMessage {
  const { recordId, accountIds, toModerators, writtenAt } = RecordMessage.decode(bytes);
  if (recordId < 1 || accountIds.length === 0 || !accountIds.every((id) => UUID.test(id)) || !writtenAt) {
    throw new Error(`record.message of record ${recordId} is incomplete`);
  }
  return { recordId, accountIds, toModerators, writtenAt };
}
