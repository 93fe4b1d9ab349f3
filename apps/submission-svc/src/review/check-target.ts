import type { Caller } from '@esd/service/auth/caller-assertion';
import type { ErrorCode } from '@esd/api/error-codes';
import { recordTag } from '../records/entity-tag.ts';
import type { RecordState } from '../records/record.store.ts';

export interface ReviewTarget {
  recordId: number;
  /** The reviewed revision. Default: the newest. */
  revision?: number | undefined;
  /** The record must have one of these entity tags; an empty list allows any state. */
  entityTags?: readonly string[];
}

export interface ReviewRefusal {
  code: ErrorCode;
  message: string;
}

/** Returns why a moderator may not act on a record, regardless of its status; undefined if the moderator may. */
export function targetRefusal(
  { recordId, revision, entityTags = [] }: ReviewTarget,
  state: RecordState | undefined,
  reviewer: Caller,
): ReviewRefusal | undefined {
  if (!state) return { code: 'RECORD_NOT_FOUND', message: `There is no record ${recordId}.` };
  if (state.ownerAccountId === reviewer.accountId && reviewer.role !== 'ADMIN') {
    return { code: 'FORBIDDEN', message: `Record ${recordId} is your own; another moderator must review it.` };
  }
  if (revision !== undefined && revision !== state.revision) {
    const message = `Record ${recordId} is at revision ${state.revision}, not ${revision}; read it again.`;
    return { code: 'PRECONDITION_FAILED', message };
  }
  const entityTag = recordTag(recordId, state.revision);
  if (entityTags.length > 0 && !entityTags.includes(entityTag)) {
    const message = `Record ${recordId} now has the entity tag "${entityTag}"; read it again.`;
    return { code: 'PRECONDITION_FAILED', message };
  }
  return undefined;
}
