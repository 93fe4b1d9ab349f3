import { checkEntry } from '@esd/record/reference/check-entry';
import type { EntryList } from '@esd/record/reference/list-names';
import {
  entriesOf,
  indexReferences,
  type EntryInList,
  type EntryOf,
  type ListName,
  ownName,
  type SubstanceEntry,
} from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import type { Kysely, Transaction } from 'kysely';
import { type DatasetState, getHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { checkSentPaper, requirePaper, type SentPaper } from './change-papers.ts';
import {
  countPublishedUse,
  findLists,
  findPreviousNames,
  getReferenceHead,
  nextEntryId,
  type StoredLists,
} from './entry.store.ts';
import {
  applyChanges,
  type Change,
  type ChangeContext,
  entryNotFound,
  isSameEntry,
  lockList,
  requireValid,
} from './list-changes.ts';
import type { PaperEntry } from './paper.store.ts';

/** An entry of any list, as sent. */
export type SentEntry = EntryInList | { readonly list: 'papers'; readonly entry: SentPaper };
/** An entry of any list. */
export type ListedEntry = EntryInList | { readonly list: 'papers'; readonly entry: PaperEntry };

export interface ChangedEntry {
  listed: ListedEntry;
  state: DatasetState;
  /** The dataset revision of the newest change to the list of papers, or to any list of names. */
  listsRevision: number;
}

/**
 * Adds an entry, ignoring its id. Throws VALIDATION_FAILED with all problems of the entry, and PRECONDITION_FAILED if the
 * lists have changed since `listsSeen`.
 */
export async function createEntry(
  database: Kysely<Tables>,
  sent: SentEntry,
  context: ChangeContext,
): Promise<ChangedEntry> {
  return database.transaction().execute(async (transaction) => {
    const { head, revision } = await lockList(transaction, sent.list, context);
    const { checked } = await checkSent(transaction, withId(sent, 0), revision, true);
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
  sent: SentEntry,
  context: ChangeContext,
): Promise<ChangedEntry> {
  return database.transaction().execute(async (transaction) => {
    const { head, revision } = await lockList(transaction, sent.list, context);
    const { before, checked, followers } = await checkSent(transaction, sent, revision, false);
    if (before && isSameEntry(before, checked.entry)) {
      return { listed: checked, state: await getHead(transaction), listsRevision: revision };
    }
    const changes = [{ before, after: checked.entry }, ...followers];
    const state = await applyChanges(transaction, sent.list, head, context, changes);
    return { listed: checked, state, listsRevision: state.revision };
  });
}

/**
 * Deletes an entry, as the next dataset revision. Throws ENTRY_NOT_FOUND, and PRECONDITION_FAILED if the lists have changed since
 * `listsSeen`. Except for a paper, throws CONFLICT if any published revision of a record uses it, or another entry refers to it.
 */
export async function deleteEntry(
  database: Kysely<Tables>,
  list: EntryList,
  id: number,
  context: ChangeContext,
): Promise<DatasetState> {
  return database.transaction().execute(async (transaction) => {
    const { head, revision } = await lockList(transaction, list, context);
    const before = await (list === 'papers'
      ? requirePaper(transaction, id)
      : requireUnused(transaction, list, id, revision));
    return applyChanges(transaction, list, head, context, [{ before }]);
  });
}

/** Lists the names under which records may store an entry: the current and all previous ones. Throws ENTRY_NOT_FOUND. */
export async function listEntryNames(database: Kysely<Tables>, list: ListName, id: number): Promise<string[]> {
  return database.transaction().execute(async (transaction) => {
    const { revision } = await getReferenceHead(transaction);
    const lists = await findLists(transaction, revision, [list]);
    return findStoredNames(transaction, list, findEntry(lists, list, id));
  });
}

/**
 * Returns the entry as it will be stored, its present state unless it is new, and the changes to entries that follow its
 * name. Throws ENTRY_NOT_FOUND, and VALIDATION_FAILED with all problems of the entry.
 */
async function checkSent(
  transaction: Transaction<Tables>,
  sent: SentEntry,
  revision: number,
  isNew: boolean,
): Promise<{ before: Change['before']; checked: ListedEntry; followers: Change[] }> {
  if (sent.list === 'papers') {
    const before = isNew ? undefined : await requirePaper(transaction, sent.entry.id);
    const entry = await checkSentPaper(transaction, sent.entry, before);
    return { before, checked: { list: 'papers', entry }, followers: [] };
  }
  const { list, entry } = sent;
  const lists = await findLists(transaction, revision);
  const before = isNew ? undefined : findEntry(lists, list, entry.id);
  const name = before && ownName(list, before);
  const previousNames = name === undefined ? [] : [...(await findPreviousNames(transaction, list, entry.id)), name];
  const { checked, problems } = checkEntry(sent, indexReferences({ ...lists, revision }), previousNames);
  requireValid(problems);
  const newName = ownName(list, checked.entry);
  const followers = name === undefined || name === newName ? [] : spellingsFor(lists, list, name);
  return {
    before,
    checked,
    followers: followers.map((follower) => ({ before: follower, after: { ...follower, sameAs: newName } })),
  };
}

/** Returns an entry. Throws ENTRY_NOT_FOUND, and CONFLICT if another entry or a published record revision refers to it. */
async function requireUnused(
  transaction: Transaction<Tables>,
  list: ListName,
  id: number,
  revision: number,
): Promise<EntryOf<ListName>> {
  const lists = await findLists(transaction, revision, [list]);
  const entry = findEntry(lists, list, id);
  const name = ownName(list, entry);
  const follower =
    spellingsFor(lists, list, name)[0]?.name ??
    lists.units.find((unit) => unit.id !== id && unit.canonical === name)?.unit;
  if (follower !== undefined) {
    throw new ServiceError('CONFLICT', `${name} cannot be deleted because ${follower} refers to it.`);
  }
  const records = await countPublishedUse(transaction, list, await findStoredNames(transaction, list, entry));
  if (records > 0) {
    throw new ServiceError(
      'CONFLICT',
      `${name} is in use by ${records} ${records === 1 ? 'record' : 'records'} of the dataset, now or in an earlier state. ` +
        'Retire it instead: PUT it with "retired": true.',
    );
  }
  return entry;
}

async function findStoredNames(
  transaction: Transaction<Tables>,
  list: ListName,
  entry: EntryOf<ListName>,
): Promise<string[]> {
  return [...new Set([ownName(list, entry), ...(await findPreviousNames(transaction, list, entry.id))])];
}

/** Returns the entry with an id. Throws ENTRY_NOT_FOUND. */
function findEntry(lists: StoredLists, list: ListName, id: number): EntryOf<ListName> {
  const entry = entriesOf(lists, list).find((listed) => listed.id === id);
  if (!entry) throw entryNotFound(list, id);
  return entry;
}

/** Returns the legacy spellings of an entry. */
function spellingsFor(lists: StoredLists, list: ListName, name: string): SubstanceEntry[] {
  return entriesOf(lists, list).flatMap((entry) => ('sameAs' in entry && entry.sameAs === name ? [entry] : []));
}

function withId<Listed extends { readonly entry: { readonly id: number } }>(listed: Listed, id: number): Listed {
  return { ...listed, entry: { ...listed.entry, id } };
}
