import {
  type CreateEntryResponse,
  type ListedEntry,
  ReferenceList,
  ReferenceServiceService,
} from '@esd/proto/esd/dataset/v1/reference';
import { LIST_NAMES, listFromWire, listToWire } from '@esd/dataset-client/list-names';
import type { EntryInList, ListName } from '@esd/record/reference/reference';
import { ServiceError } from '@esd/service/errors';
import { requireRole } from '@esd/service/auth/require-caller';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import {
  type ChangeContext,
  type ChangeOutcome,
  createEntry,
  deleteEntry,
  listEntryNames,
  replaceEntry,
} from '../reference/change-entry.ts';
import { listChanges } from '../reference/list-changes.ts';
import { findLists, getReferenceHead, type StoredLists } from '../reference/reference.store.ts';
import type { Tables } from '../tables.ts';

const MAX_PER_PAGE = 1_000;

export function referenceRpc(database: Kysely<Tables>): RpcService {
  return rpcService(ReferenceServiceService, {
    getLists: async ({ lists: requested, knownRevision }) => {
      const head = await getReferenceHead(database);
      if (knownRevision === head.revision) return { ...head, lists: undefined };
      const wanted = [...LIST_NAMES, 'ambiguous' as const].filter((name) => requested.includes(toWire(name)));
      const lists = await findLists(database, head.revision, wanted);
      const ambiguous = lists.ambiguous.map((entry) => ({ ...entry, list: listToWire(entry.list) }));
      return { ...head, lists: { ...lists, ambiguous } };
    },

    createEntry: async ({ entry, listsSeen }, context) =>
      toResponse(await createEntry(database, fromMessage(entry), changeContext(context, listsSeen))),

    replaceEntry: async ({ entry, listsSeen }, context) =>
      toResponse(await replaceEntry(database, fromMessage(entry), changeContext(context, listsSeen))),

    listEntryNames: async ({ list, id }, context) => {
      requireRole(context, ['ADMIN']);
      return { names: await listEntryNames(database, requireList(list), id) };
    },

    deleteEntry: async ({ list, id, listsSeen }, context) => {
      const by = changeContext(context, listsSeen);
      return { state: await deleteEntry(database, requireList(list), id, by) };
    },

    listChanges: async ({ list, entryId, skip, limit }, context) => {
      requireRole(context, ['ADMIN']);
      if (skip < 0 || limit < 1 || limit > MAX_PER_PAGE) {
        throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be at least 0 and \`limit\` 1 to ${MAX_PER_PAGE}.`);
      }
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
  });
}

/** Throws AUTH_REQUIRED or FORBIDDEN unless the caller is an ADMIN. */
function changeContext(context: CallContext, listsSeen: ChangeContext['listsSeen']): ChangeContext {
  const { accountId } = requireRole(context, ['ADMIN']);
  return { accountId, requestId: context.requestId, listsSeen };
}

function toWire(name: keyof StoredLists): ReferenceList {
  return name === 'ambiguous' ? ReferenceList.REFERENCE_LIST_AMBIGUOUS : listToWire(name);
}

function requireList(list: ReferenceList): ListName {
  const name = listFromWire(list);
  if (!name) throw new ServiceError('INVALID_REQUEST', '`list` is required.');
  return name;
}

function toResponse(outcome: ChangeOutcome): CreateEntryResponse {
  if (outcome.kind === 'refused') {
    return { outcome: { $case: 'refusal', value: { problems: outcome.problems } } };
  }
  const { listed, state, listsRevision } = outcome;
  return { outcome: { $case: 'changed', value: { entry: toMessage(listed), state, listsRevision } } };
}

function fromMessage(message: ListedEntry | undefined): EntryInList {
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
    case undefined:
      throw new ServiceError('INVALID_REQUEST', '`entry` is required.');
  }
}

function toMessage({ list, entry }: EntryInList): ListedEntry {
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
