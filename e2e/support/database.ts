import pg from 'pg';

// Ids, revisions and counts stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Runs one statement in the database of a service, for state that no interface shows. */
export async function query(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000, query_timeout: 60_000 });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement, values);
    return rows;
  } finally {
    await client.end();
  }
}
