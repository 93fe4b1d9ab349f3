import type { Caller } from '@esd/service/auth/caller-assertion';
import type { ErrorCode } from '@esd/service/errors';
import { recordTag } from '../records/entity-tag.ts';
import type { RecordState } from '../records/record.store.ts';

/** A record that a moderator acts on. */
export interface ReviewTarget {
  recordId: number;
  /** The revision that was reviewed; undefined: the newest. */
  revision?: number | undefined;
  /** The record must have one of these entity tags; an empty list allows any state. */
  entityTags?: readonly string[];
}

/** Why something is refused. */
export interface ReviewRefusal {
  code: ErrorCode;
  message: string;
}

/** Why a moderator cannot act on a record, whatever its status: undefined where nothing is in the way. */
export function targetRefusal(
  { recordId, revision, entityTags = [] }: ReviewTarget,
  state: RecordState | undefined,
  reviewer: Caller,
): ReviewRefusal | undefined {
  if (!state) return { code: 'RECORD_NOT_FOUND', message: `There is no record ${recordId}.` };
  if (state.ownerAccountId === reviewer.accountId && reviewer.role !== 'ADMIN') {
    return { code: 'FORBIDDEN', message: `Record ${recordId} is your own; another moderator has to review it.` };
  }
  if (revision !== undefined && revision !== state.revision) {
    const message = `Record ${recordId} is at revision ${state.revision}, not ${revision}; read it again.`;
    return { code: 'PRECONDITION_FAILED', message };
  }
  const entityTag = recordTag(recordId, state.revision);
  if (entityTags.length > 0 && !entityTags.includes(entityTag)) {
    const message = `Record ${recordId} has the entity tag "${entityTag}" now; read it again.`;
    return { code: 'PRECONDITION_FAILED', message };
  }
  return undefined;
}
