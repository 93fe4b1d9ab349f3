import pg from 'pg';
import { withPostgres } from './postgres.ts';

/** A database with the one role that may connect to it. */
export interface Database {
  name: string;
  password: string;
}

/**
 * Makes what is missing of one role and one database a service, both with the service's name. Can be repeated after a crash at
 * any point. Returns the address of each database by its name.
 */
export async function createDatabases(adminUrl: string, databases: Database[]): Promise<Map<string, string>> {
  const addresses = await Promise.all(databases.map((database) => createDatabase(adminUrl, database)));
  return new Map(databases.map(({ name }, index) => [name, addresses[index] ?? '']));
}

/** Shuts the databases that a server is made with, which anybody with a role may otherwise connect to. */
export async function shutCommonDatabases(adminUrl: string): Promise<void> {
  await withPostgres(adminUrl, (client) =>
    client.query('REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC'),
  );
}

/** Makes one role and its database, as `createDatabases` does, and returns its address. */
export function createDatabase(adminUrl: string, { name, password }: Database): Promise<string> {
  const role = pg.escapeIdentifier(name);
  return withPostgres(adminUrl, async (client) => {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
    const verb = roles.rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount === 0) {
      // An administrator who is no superuser may give a database only to a role that it is a member of.
      await client.query(`GRANT ${role} TO CURRENT_USER`);
      await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
    }
    await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`);
    const url = new URL(adminUrl);
    url.username = name;
    url.password = password;
    url.pathname = `/${name}`;
    return url.href;
  });
}
