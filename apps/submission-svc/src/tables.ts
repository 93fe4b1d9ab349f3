import type { OutboxTables } from '@esd/events/outbox';
import type { AuditTable, RecordRevisionTable, RecordTable } from './record/record.table.ts';
import type { LastIdTable, SubmissionTable, SubmitterTable } from './submit/submission.table.ts';

/** The database of submission-svc. */
export interface Tables extends OutboxTables {
  last_id: LastIdTable;
  submission: SubmissionTable;
  submitter: SubmitterTable;
  record: RecordTable;
  record_revision: RecordRevisionTable;
  audit: AuditTable;
}
