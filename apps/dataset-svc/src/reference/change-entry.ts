import { isDeepStrictEqual } from 'node:util';
import { checkEntry } from '@esd/record/reference/check-entry';
import {
  entriesOf,
  indexReferences,
  type EntryInList,
  type ListName,
  type ReferenceLists,
  type References,
} from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import {
  advanceHead,
  type DatasetState,
  getHead,
  type LockedHead,
  lockHead,
} from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { countPublishedUse, endEntry, findPreviousNames, insertEntry, nextEntryId } from './entry.store.ts';
import { findLists, getReferenceHead } from './reference.store.ts';
import { requireValid } from './require-valid.ts';

export interface ChangeContext {
  accountId: string;
  requestId: string;
  /** The state of the lists that the caller has read; if the current lists are newer, the change fails. */
  listsSeen?: DatasetRevision | undefined;
}

export interface ChangedEntry {
  listed: EntryInList;
  state: DatasetState;
  /** The dataset revision of the newest change to any list. */
  listsRevision: number;
}

/**
 * Adds an entry, ignoring its id. Throws VALIDATION_FAILED with all problems of the entry, and PRECONDITION_FAILED if the
 * lists have changed since `listsSeen`.
 */
export async function createEntry(
  database: Kysely<Tables>,
  sent: EntryInList,
  context: ChangeContext,
): Promise<ChangedEntry> {
  return database.transaction().execute(async (transaction) => {
    const { head, references } = await lockLists(transaction, context);
    const { checked, problems } = checkEntry(withId(sent, 0), references, []);
    requireValid(problems);
    const listed = withId(checked, await nextEntryId(transaction, checked.list));
    const state = await applyChanges(transaction, head, context, [{ after: listed }]);
    return { listed, state, listsRevision: state.revision };
  });
}

/**
 * Replaces the entry with the same id, as the next dataset revision; an equal entry creates no revision. Previous names remain
 * aliases, and entries that refer to it get the new name. Throws ENTRY_NOT_FOUND, VALIDATION_FAILED with all problems of the
 * entry, and PRECONDITION_FAILED if the lists have changed since `listsSeen`.
 */
export async function replaceEntry(
  database: Kysely<Tables>,
  sent: EntryInList,
  context: ChangeContext,
): Promise<ChangedEntry> {
  return database.transaction().execute(async (transaction) => {
    const { head, references } = await lockLists(transaction, context);
    const { list } = sent;
    const before = findEntry(references.lists, list, sent.entry.id);
    const name = nameOf(before);
    const previousNames = [...(await findPreviousNames(transaction, list, sent.entry.id)), name];
    const { checked, problems } = checkEntry(sent, references, previousNames);
    requireValid(problems);
    if (isDeepStrictEqual(before, checked)) {
      return { listed: before, state: await getHead(transaction), listsRevision: references.revision };
    }
    const newName = nameOf(checked);
    const followers = newName === name ? [] : spellingsFor(references, list, name);
    const state = await applyChanges(transaction, head, context, [
      { before, after: checked },
      ...followers.map(({ list, entry }) => ({
        before: { list, entry },
        after: { list, entry: { ...entry, sameAs: newName } },
      })),
    ]);
    return { listed: checked, state, listsRevision: state.revision };
  });
}

/**
 * Deletes an entry, as the next dataset revision. Throws ENTRY_NOT_FOUND, and PRECONDITION_FAILED if the lists have changed since
 * `listsSeen`. Throws CONFLICT if any published revision of a record uses it, or another entry refers to it.
 */
export async function deleteEntry(
  database: Kysely<Tables>,
  list: ListName,
  id: number,
  context: ChangeContext,
): Promise<DatasetState> {
  return database.transaction().execute(async (transaction) => {
    const { head, references } = await lockLists(transaction, context);
    const before = findEntry(references.lists, list, id);
    const name = nameOf(before);
    const follower =
      spellingsFor(references, list, name)[0]?.entry.name ??
      (list === 'units'
        ? references.lists.units.find((unit) => unit.id !== id && unit.canonical === name)?.unit
        : undefined);
    if (follower !== undefined) {
      throw new ServiceError('CONFLICT', `${name} cannot be deleted because ${follower} refers to it.`);
    }
    const names = await findStoredNames(transaction, list, before);
    const records = await countPublishedUse(transaction, list, names);
    if (records > 0) {
      throw new ServiceError(
        'CONFLICT',
        `${name} is in use by ${records} ${records === 1 ? 'record' : 'records'} of the dataset, now or in an earlier state. ` +
          'Retire it instead: PUT it with "retired": true.',
      );
    }
    return applyChanges(transaction, head, context, [{ before }]);
  });
}

/** Lists the names under which records may store an entry: the current and all previous ones. Throws ENTRY_NOT_FOUND. */
export async function listEntryNames(database: Kysely<Tables>, list: ListName, id: number): Promise<string[]> {
  return database.transaction().execute(async (transaction) => {
    const { revision } = await getReferenceHead(transaction);
    const lists = { ...(await findLists(transaction, revision, [list])), revision };
    return findStoredNames(transaction, list, findEntry(lists, list, id));
  });
}

async function findStoredNames(transaction: Transaction<Tables>, list: ListName, one: EntryInList): Promise<string[]> {
  return [...new Set([nameOf(one), ...(await findPreviousNames(transaction, list, one.entry.id))])];
}

async function lockLists(
  transaction: Transaction<Tables>,
  { listsSeen }: ChangeContext,
): Promise<{ head: LockedHead; references: References }> {
  const head = await lockHead(transaction);
  const { datasetId, revision } = await getReferenceHead(transaction);
  if (listsSeen && (listsSeen.datasetId !== datasetId || listsSeen.revision !== revision)) {
    throw new ServiceError('PRECONDITION_FAILED', 'The reference lists have changed. Read them again and retry.');
  }
  return { head, references: indexReferences({ ...(await findLists(transaction, revision)), revision }) };
}

interface Change {
  before?: EntryInList;
  after?: EntryInList;
}

async function applyChanges(
  transaction: Transaction<Tables>,
  head: LockedHead,
  { accountId, requestId }: ChangeContext,
  changes: readonly Change[],
): Promise<DatasetState> {
  const state = await advanceHead(transaction, head, { recordCount: head.recordCount, referenceLists: true });
  const { revision } = state;
  for (const { before, after } of changes) {
    const changed = after ?? before;
    if (!changed) continue;
    if (before) await endEntry(transaction, before.list, before.entry.id, revision);
    if (after) await insertEntry(transaction, after, revision);
    await transaction
      .insertInto('reference_change')
      .values({
        revision,
        account_id: accountId,
        request_id: requestId,
        list: changed.list,
        entry_id: changed.entry.id,
        action: before && after ? 'replace' : after ? 'create' : 'delete',
        before: before ? JSON.stringify(before.entry) : null,
        after: after ? JSON.stringify(after.entry) : null,
      })
      .execute();
  }
  return state;
}

/** Returns the entry with an id. Throws ENTRY_NOT_FOUND. */
function findEntry(lists: ReferenceLists, list: ListName, id: number): EntryInList {
  const found = listed(lists, list).find(({ entry }) => entry.id === id);
  if (!found) throw new ServiceError('ENTRY_NOT_FOUND', `There is no entry ${id} in /metadata/${list}.`);
  return found;
}

/** Returns the legacy spellings of an entry. */
function spellingsFor(references: References, list: ListName, name: string): EntryInList<'polymers' | 'solvents'>[] {
  if (list !== 'polymers' && list !== 'solvents') return [];
  return entriesOf(references.lists, list).flatMap((entry) => (entry.sameAs === name ? [{ list, entry }] : []));
}

function listed(lists: ReferenceLists, list: ListName): EntryInList[] {
  switch (list) {
    case 'polymers':
    case 'solvents':
      return entriesOf(lists, list).map((entry) => ({ list, entry }));
    case 'units':
      return lists.units.map((entry) => ({ list, entry }));
    case 'morphologies':
      return lists.morphologies.map((entry) => ({ list, entry }));
    case 'instabilities':
      return lists.instabilities.map((entry) => ({ list, entry }));
  }
}

function nameOf({ list, entry }: EntryInList): string {
  switch (list) {
    case 'polymers':
    case 'solvents':
      return entry.name;
    case 'units':
      return entry.unit;
    case 'morphologies':
    case 'instabilities':
      return entry.label;
  }
}

function withId(one: EntryInList, id: number): EntryInList {
  switch (one.list) {
    case 'polymers':
    case 'solvents':
      return { list: one.list, entry: { ...one.entry, id } };
    case 'units':
      return { list: one.list, entry: { ...one.entry, id } };
    case 'morphologies':
      return { list: one.list, entry: { ...one.entry, id } };
    case 'instabilities':
      return { list: one.list, entry: { ...one.entry, id } };
  }
}
