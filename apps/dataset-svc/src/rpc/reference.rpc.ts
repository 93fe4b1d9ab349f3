import {
  type CreateEntryResponse,
  type ListedEntry as EntryMessage,
  ReferenceList,
  ReferenceServiceService,
} from '@esd/proto/esd/dataset/v1/reference';
import type { EntryList } from '@esd/record/reference/list-names';
import { listFromWire, listToWire, namedListFromWire } from '@esd/dataset-client/list-names';
import { doiTerm } from '@esd/record/filter/text-terms';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { outcomeOf } from '@esd/service/rpc/rpc-errors';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import {
  type ChangedEntry,
  createEntry,
  deleteEntry,
  type ListedEntry,
  listEntryNames,
  replaceEntry,
  type SentEntry,
} from '../reference/change-entry.ts';
import { type ChangeContext, listChanges } from '../reference/list-changes.ts';
import { importPapers } from '../reference/change-papers.ts';
import { missingPapers } from '../resolver/missing-papers.ts';
import { findPapers, getPapersHead } from '../reference/paper.store.ts';
import { findLists, getReferenceHead, NAMED_LISTS, type StoredLists } from '../reference/entry.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';
import { paperFromMessage, paperToMessage } from './paper-message.ts';

const MAX_PER_PAGE = 1_000;

export function referenceRpc(database: Kysely<Tables>, index: Pick<ReadIndex, 'ask'>): RpcService {
  return rpcService(ReferenceServiceService, {
    getLists: async ({ lists: requested, knownRevision }) => {
      const head = await getReferenceHead(database);
      if (knownRevision === head.revision) return { ...head, lists: undefined };
      const names = NAMED_LISTS.filter((name) => requested.includes(toWire(name)));
      const lists = await findLists(database, head.revision, names);
      const ambiguous = lists.ambiguous.map((entry) => ({ ...entry, list: listToWire(entry.list) }));
      return { ...head, lists: { ...lists, ambiguous } };
    },

    createEntry: async ({ entry, listsSeen }, context) => {
      const by = changeContext(context, listsSeen);
      return toResponse(await createEntry(database, fromMessage(entry), by));
    },

    replaceEntry: async ({ entry, listsSeen }, context) => {
      const by = changeContext(context, listsSeen);
      return toResponse(await replaceEntry(database, fromMessage(entry), by));
    },

    listEntryNames: async ({ list, id }, context) => {
      requireRole(context, 'ADMIN');
      return { names: await listEntryNames(database, requireList(namedListFromWire(list)), id) };
    },

    deleteEntry: async ({ list, id, listsSeen }, context) => {
      const by = changeContext(context, listsSeen);
      return { state: await deleteEntry(database, requireList(listFromWire(list)), id, by) };
    },

    listChanges: async ({ list, entryId, skip, limit }, context) => {
      requireRole(context, 'ADMIN');
      checkPage(skip, limit);
      const { rows, total } = await listChanges(database, { list: listFromWire(list), entryId, skip, limit });
      const changes = rows.map((row) => ({
        id: row.id,
        revision: row.revision,
        at: row.at,
        accountId: row.account_id,
        requestId: row.request_id,
        list: listToWire(row.list),
        entryId: row.entry_id,
        action: row.action,
        beforeJson: row.before === null ? undefined : JSON.stringify(row.before),
        afterJson: row.after === null ? undefined : JSON.stringify(row.after),
      }));
      return { changes, total };
    },

    listPapers: async ({ knownRevision, revision, doi, skip, limit, ...of }) => {
      checkPage(skip, limit);
      const head = await getPapersHead(database);
      if (knownRevision === head.revision) return { ...head, page: undefined };
      const { papers, total } = await findPapers(database, {
        ...of,
        doi: doi === undefined ? undefined : doiTerm(doi),
        skip,
        limit,
        revision: revision ?? head.revision,
      });
      return { ...head, page: { papers: papers.map(paperToMessage), total } };
    },

    importPapers: async ({ cslJson }, context) => {
      const by = changeContext(context, undefined);
      const outcome = await outcomeOf(async () => {
        const value = await importPapers(database, Buffer.from(cslJson).toString(), by);
        return { $case: 'imported' as const, value };
      });
      return { outcome };
    },

    listMissingPapers: async ({ skip, limit }, context) => {
      requireRole(context, 'ADMIN');
      checkPage(skip, limit);
      const { papers, total } = await missingPapers(database, index, { skip, limit });
      return { papers, total };
    },
  });
}

function checkPage(skip: number, limit: number): void {
  if (skip >= 0 && limit >= 1 && limit <= MAX_PER_PAGE) return;
  throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be at least 0 and \`limit\` 1 to ${MAX_PER_PAGE}.`);
}

/** Throws AUTH_REQUIRED or FORBIDDEN unless the caller is an ADMIN. */
function changeContext(context: CallContext, listsSeen: ChangeContext['listsSeen']): ChangeContext {
  const { accountId } = requireRole(context, 'ADMIN');
  return { accountId, requestId: context.requestId, listsSeen };
}

function toWire(name: keyof StoredLists): ReferenceList {
  return name === 'ambiguous' ? ReferenceList.REFERENCE_LIST_AMBIGUOUS : listToWire(name);
}

function requireList<List extends EntryList>(list: List | undefined): List {
  if (!list) throw new ServiceError('INVALID_REQUEST', '`list` is required.');
  return list;
}

function toResponse({ listed, state, listsRevision }: ChangedEntry): CreateEntryResponse {
  return { changed: { entry: toMessage(listed), state, listsRevision } };
}

function fromMessage(message: EntryMessage | undefined): SentEntry {
  switch (message?.entry?.$case) {
    case 'polymer':
      return { list: 'polymers', entry: message.entry.value };
    case 'solvent':
      return { list: 'solvents', entry: message.entry.value };
    case 'unit':
      return { list: 'units', entry: message.entry.value };
    case 'morphology':
      return { list: 'morphologies', entry: message.entry.value };
    case 'instability':
      return { list: 'instabilities', entry: message.entry.value };
    case 'paper':
      return { list: 'papers', entry: paperFromMessage(message.entry.value) };
    case undefined:
      throw new ServiceError('INVALID_REQUEST', '`entry` is required.');
  }
}

function toMessage(listed: ListedEntry): EntryMessage {
  if (listed.list === 'papers') return { entry: { $case: 'paper', value: paperToMessage(listed.entry) } };
  const { list, entry } = listed;
  const retired = entry.retired ?? false;
  switch (list) {
    case 'polymers':
      return { entry: { $case: 'polymer', value: { ...entry, aliases: [...entry.aliases], retired } } };
    case 'solvents':
      return { entry: { $case: 'solvent', value: { ...entry, aliases: [...entry.aliases], retired } } };
    case 'units':
      return { entry: { $case: 'unit', value: { ...entry, aliases: [...entry.aliases], retired } } };
    case 'morphologies':
      return { entry: { $case: 'morphology', value: { ...entry, synonyms: [...entry.synonyms], retired } } };
    case 'instabilities':
      return { entry: { $case: 'instability', value: { ...entry, synonyms: [...entry.synonyms], retired } } };
  }
}
