import type { OutboxTables } from '@esd/events/outbox';
import type { DeletedAccountTable } from './records/deleted-account.table.ts';
import type { FeedbackAuditTable, FeedbackTable } from './feedback/feedback.table.ts';
import type { MessageTable, ReadMarkTable } from './messages/message.table.ts';
import type {
  AuditTable,
  DecisionTable,
  RecordRevisionTable,
  RecordTable,
  WithdrawalTable,
} from './records/record.table.ts';
import type { IdempotencyKeyTable } from './submit/idempotency.table.ts';
import type { LastIdTable, SubmissionTable, SubmitterTable } from './submit/submission.table.ts';

export interface Tables extends OutboxTables {
  last_id: LastIdTable;
  submission: SubmissionTable;
  submitter: SubmitterTable;
  record: RecordTable;
  record_revision: RecordRevisionTable;
  audit: AuditTable;
  decision: DecisionTable;
  withdrawal: WithdrawalTable;
  message: MessageTable;
  read_mark: ReadMarkTable;
  idempotency_key: IdempotencyKeyTable;
  deleted_account: DeletedAccountTable;
  feedback: FeedbackTable;
  feedback_audit: FeedbackAuditTable;
}
