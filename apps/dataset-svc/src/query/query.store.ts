import { shorten } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';
import { countQuery, type QueryMaker } from './query-makers.ts';
import type { QueryTable } from './query.table.ts';

export type QueryRow = Omit<Selectable<QueryTable>, 'row_list' | 'by_account'>;

const COLUMNS = [
  'id',
  'filter',
  'sort',
  'fields',
  'version',
  'revision',
  'record_count',
  'digest',
  'created_at',
  'once',
] as const satisfies readonly (keyof QueryRow)[];

/** Stores a query, or finds the one with its id. Of concurrent calls, one is new. Throws RATE_LIMITED, see `countQuery`. */
export async function storeQuery(
  database: Kysely<Tables>,
  query: Omit<Insertable<QueryTable>, 'by_account'>,
  maker: QueryMaker,
): Promise<{ query: QueryRow; created: boolean }> {
  const made = await database.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto('query')
      .values({ ...query, by_account: maker.caller !== undefined })
      .onConflict((on) => on.doNothing())
      .returning(COLUMNS)
      .executeTakeFirst();
    if (inserted) await countQuery(transaction, maker);
    return inserted;
  });
  return made ? { query: made, created: true } : { query: await getQuery(database, query.id), created: false };
}

export async function getQuery(database: Kysely<Tables>, id: string): Promise<QueryRow> {
  const row = await database.selectFrom('query').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  if (!row) throw new ServiceError('QUERY_NOT_FOUND', `There is no query "${shorten(id)}".`);
  return row;
}

export async function hasQuery(database: Kysely<Tables>, id: string): Promise<boolean> {
  return (await database.selectFrom('query').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Returns whether a query has this number of records. */
export async function hasQueryOfSize(database: Kysely<Tables>, records: number): Promise<boolean> {
  const found = await database
    .selectFrom('query')
    .select('id')
    .where('record_count', '=', records)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Reads the packed row list of an existing query. */
export async function readQueryRows(database: Kysely<Tables>, id: string): Promise<Buffer> {
  const { row_list: rowList } = await database
    .selectFrom('query')
    .select('row_list')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return rowList;
}
