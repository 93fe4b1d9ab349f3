import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { readFacts } from './release-input.ts';
import { lockReleases, noteChange } from './release.store.ts';

/**
 * Gives the releases that were frozen before releases had facts of their own those of the dataset, once; how many they were.
 * Throws INVALID_REQUEST.
 */
export async function fillFacts(database: Kysely<Tables>, factsJson: string, requestId: string): Promise<number> {
  const facts = readFacts(factsJson);
  return database.transaction().execute(async (transaction) => {
    await lockReleases(transaction);
    const filled = await transaction
      .updateTable('version')
      .set({ facts: JSON.stringify(facts) })
      .where('facts', 'is', null)
      .returning('id')
      .execute();
    for (const { id } of filled) {
      const change = { version_id: id, account_id: null, request_id: requestId, action: 'facts' as const };
      await noteChange(transaction, { ...change, details: { facts } });
    }
    return filled.length;
  });
}
