import { checkEntry } from '@esd/record/reference/check-entry';
import {
  entriesOf,
  indexReferences,
  type EntryInList,
  type EntryOf,
  type ListName,
  ownName,
  type ReferenceLists,
  type References,
  type SubstanceEntry,
} from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { type DatasetState, getHead, type LockedHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { countPublishedUse, findLists, findPreviousNames, getReferenceHead, nextEntryId } from './entry.store.ts';
import {
  applyChanges,
  type ChangeContext,
  entryNotFound,
  isSameEntry,
  lockList,
  requireValid,
} from './list-changes.ts';

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
    const { head, references } = await lockLists(transaction, sent.list, context);
    const { checked, problems } = checkEntry(withId(sent, 0), references, []);
    requireValid(problems);
    const listed = withId(checked, await nextEntryId(transaction, checked.list));
    const state = await applyChanges(transaction, listed.list, head, context, [{ after: listed.entry }]);
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
    const { list, entry } = sent;
    const { head, references } = await lockLists(transaction, list, context);
    const before = findEntry(references.lists, list, entry.id);
    const name = ownName(list, before);
    const previousNames = [...(await findPreviousNames(transaction, list, entry.id)), name];
    const { checked, problems } = checkEntry(sent, references, previousNames);
    requireValid(problems);
    const { revision } = references;
    if (isSameEntry(before, checked.entry)) {
      return { listed: checked, state: await getHead(transaction), listsRevision: revision };
    }
    const newName = ownName(list, checked.entry);
    const followers = newName === name ? [] : spellingsFor(references, list, name);
    const state = await applyChanges(transaction, list, head, context, [
      { before, after: checked.entry },
      ...followers.map((follower) => ({ before: follower, after: { ...follower, sameAs: newName } })),
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
    const { head, references } = await lockLists(transaction, list, context);
    const before = findEntry(references.lists, list, id);
    const name = ownName(list, before);
    const follower =
      spellingsFor(references, list, name)[0]?.name ??
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
    return applyChanges(transaction, list, head, context, [{ before }]);
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

async function findStoredNames(
  transaction: Transaction<Tables>,
  list: ListName,
  entry: EntryOf<ListName>,
): Promise<string[]> {
  return [...new Set([ownName(list, entry), ...(await findPreviousNames(transaction, list, entry.id))])];
}

async function lockLists(
  transaction: Transaction<Tables>,
  list: ListName,
  context: ChangeContext,
): Promise<{ head: LockedHead; references: References }> {
  const { head, revision } = await lockList(transaction, list, context);
  return { head, references: indexReferences({ ...(await findLists(transaction, revision)), revision }) };
}

/** Returns the entry with an id. Throws ENTRY_NOT_FOUND. */
function findEntry(lists: ReferenceLists, list: ListName, id: number): EntryOf<ListName> {
  const entry = entriesOf(lists, list).find((listed) => listed.id === id);
  if (!entry) throw entryNotFound(list, id);
  return entry;
}

/** Returns the legacy spellings of an entry. */
function spellingsFor({ lists }: References, list: ListName, name: string): SubstanceEntry[] {
  return entriesOf(lists, list).flatMap((entry) => ('sameAs' in entry && entry.sameAs === name ? [entry] : []));
}

function withId<Listed extends EntryInList>(listed: Listed, id: number): Listed {
  return { ...listed, entry: { ...listed.entry, id } };
}
