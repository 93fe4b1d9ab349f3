import { isDeepStrictEqual } from 'node:util';
import type { DatasetRevision, DatasetState } from '@esd/dataset-client/dataset-state';
import type { EntryList } from '@esd/record/reference/list-names';
import type { ValidationProblem } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { advanceHead, type LockedHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { endEntries, getReferenceHead, insertEntries } from './entry.store.ts';
import { getPapersHead } from './paper.store.ts';

export interface ChangeContext {
  accountId: string;
  requestId: string;
  /** The state of the lists that the caller has read; if the current lists are newer, the change fails. */
  listsSeen?: DatasetRevision | undefined;
}

/** An entry before and after a change; both for a replacement. */
export interface Change<Entry = { readonly id: number }> {
  before?: Entry | undefined;
  after?: Entry | undefined;
}

/**
 * Locks the dataset for a change to a list. Returns its head, and the dataset revision of the newest change to the list of
 * papers, or to any list of names. Throws PRECONDITION_FAILED if there is a change since `listsSeen`.
 */
export async function lockList(
  transaction: Transaction<Tables>,
  list: EntryList,
  { listsSeen }: ChangeContext,
): Promise<{ head: LockedHead; revision: number }> {
  const head = await lockHead(transaction);
  const { datasetId, revision } = await (list === 'papers'
    ? getPapersHead(transaction)
    : getReferenceHead(transaction));
  if (listsSeen && (listsSeen.datasetId !== datasetId || listsSeen.revision !== revision)) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      list === 'papers'
        ? 'The list of papers has changed. Read it again and retry.'
        : 'The reference lists have changed. Read them again and retry.',
    );
  }
  return { head, revision };
}

/** Applies changes to a list as the next dataset revision, and adds them to the log of changes. */
export async function applyChanges(
  transaction: Transaction<Tables>,
  list: EntryList,
  head: LockedHead,
  { accountId, requestId }: ChangeContext,
  changes: readonly Change[],
): Promise<DatasetState> {
  const { recordCount } = head;
  const state = await advanceHead(transaction, head, { recordCount, referenceLists: list !== 'papers' });
  const { revision } = state;
  const ended = changes.flatMap(({ before }) => before?.id ?? []);
  await endEntries(transaction, list, ended, revision);
  const added = changes.flatMap(({ after }) => after ?? []);
  await insertEntries(transaction, list, added, revision);
  await transaction
    .insertInto('reference_change')
    .values(
      changes.map(({ before, after }) => ({
        revision,
        account_id: accountId,
        request_id: requestId,
        list,
        entry_id: (after ?? before)?.id ?? 0,
        action: before && after ? ('replace' as const) : after ? ('create' as const) : ('delete' as const),
        before: before ? JSON.stringify(before) : null,
        after: after ? JSON.stringify(after) : null,
      })),
    )
    .execute();
  return state;
}

type Sent = 'entry' | 'import' | 'body';

/** Throws VALIDATION_FAILED if an entry or an import has problems, with all of them. */
export function requireValid(problems: ValidationProblem[], sent: Sent = 'entry'): void {
  if (problems.length > 0) throw validationFailed(problems, sent);
}

export function validationFailed(problems: ValidationProblem[], sent: Sent): ServiceError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const details = { errors: problems, errorCount: problems.length };
  return new ServiceError('VALIDATION_FAILED', `The ${sent} has ${count}.`, { details });
}

export function entryNotFound(list: EntryList, id: number): ServiceError {
  return new ServiceError('ENTRY_NOT_FOUND', `There is no entry ${id} in /metadata/${list}.`);
}

/** Returns whether two entries are equal, except for the time of their change. An undefined member is absent. */
export function isSameEntry(before: object, after: object): boolean {
  const [plainBefore, plainAfter] = [before, after].map((entry): unknown =>
    JSON.parse(JSON.stringify(entry, (member, value: unknown) => (member === 'updatedAt' ? undefined : value))),
  );
  return isDeepStrictEqual(plainBefore, plainAfter);
}

export interface ChangesQuery {
  list?: EntryList | undefined;
  entryId?: number | undefined;
  skip: number;
  limit: number;
}

/** Returns a page of the changes to the lists, newest first, with the total number. */
export async function listChanges(database: Kysely<Tables>, { list, entryId, skip, limit }: ChangesQuery) {
  let matching = database.selectFrom('reference_change');
  if (list !== undefined) matching = matching.where('list', '=', list);
  if (entryId !== undefined) matching = matching.where('entry_id', '=', entryId);
  const { total } = await matching.select((on) => on.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching.selectAll().orderBy('id', 'desc').offset(skip).limit(limit).execute();
  return { rows, total };
}
