import { readFile } from 'node:fs/promises';
import { OWN_NAME } from '@esd/record/reference/reference';
import { csvRecords } from '@esd/record/sheet/csv-rows';
import type { Kysely } from 'kysely';
import { advanceHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { findValues, insertEntries, NAMED_LISTS, nextEntryId } from './entry.store.ts';

const SEEDS = new URL('../../seeds/', import.meta.url);
/** The columns with several texts, separated by `|`. */
const TEXTS = new Set(['aliases', 'synonyms', 'meanings']);

type Row = Readonly<Record<string, string>>;

/**
 * Inserts seed entries that no list has ever had, as one dataset revision. Changed and retired entries stay unchanged. Idempotent, and
 * safe when several replicas start at the same time.
 */
export async function seedLists(database: Kysely<Tables>): Promise<void> {
  const seeds = await Promise.all(NAMED_LISTS.map(async (list) => ({ list, rows: await readSeed(list) })));
  await database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    const added = [];
    for (const { list, rows } of seeds) {
      const members = list === 'ambiguous' ? ['list', 'text'] : [OWN_NAME[list]];
      const stored = new Set((await findValues(transaction, list, members)).map(keyOf));
      const missing = rows.filter((row) => !stored.has(keyOf(members.map((member) => row[member]))));
      const nextId = await nextEntryId(transaction, list);
      added.push({ list, entries: missing.map((row, index) => ({ id: nextId + index, ...entryOf(row) })) });
    }
    if (added.every(({ entries }) => entries.length === 0)) return;
    const { revision } = await advanceHead(transaction, head, { recordCount: head.recordCount, referenceLists: true });
    for (const { list, entries } of added) await insertEntries(transaction, list, entries, revision);
  });
}

async function readSeed(list: string): Promise<Row[]> {
  return csvRecords(new TextDecoder().decode(await readFile(new URL(`${list}.csv`, SEEDS))));
}

const keyOf = (texts: readonly (string | undefined)[]): string => JSON.stringify(texts);

/** Returns the members of an entry. Those of empty columns are absent. */
function entryOf(row: Row): Readonly<Record<string, unknown>> {
  const members = Object.entries(row).flatMap(([member, text]): [string, unknown][] => {
    if (TEXTS.has(member)) return [[member, text === '' ? [] : text.split('|')]];
    return text === '' ? [] : [[member, text]];
  });
  return { ...Object.fromEntries(members), retired: false };
}
