import type { OutboxTables } from '@esd/events/outbox';
import type { BuiltFileTable } from './files/built-file.table.ts';
import type { FreezeFileTable, FreezeJobTable } from './freeze/freeze.table.ts';
import type { UsageCounterTable, UsageDayTable } from './usage/usage.table.ts';

export interface Tables extends OutboxTables {
  built_file: BuiltFileTable;
  freeze_job: FreezeJobTable;
  freeze_file: FreezeFileTable;
  usage_counter: UsageCounterTable;
  usage_day: UsageDayTable;
}
