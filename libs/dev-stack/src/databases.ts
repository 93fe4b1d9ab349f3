import pg from 'pg';
import { withPostgres } from './postgres.ts';

/** A database and the password of its role, the only one that can connect to it. */
export interface Database {
  name: string;
  password: string;
}

/** Creates the missing databases and their roles. Can be repeated after a crash at any point. Returns the URLs by name. */
export async function createDatabases(adminUrl: string, databases: Database[]): Promise<Map<string, string>> {
  const addresses = await Promise.all(databases.map((database) => createDatabase(adminUrl, database)));
  return new Map(databases.map(({ name }, index) => [name, addresses[index] ?? '']));
}

/** Revokes access to the databases of a new server, to which every role can connect by default. */
export async function shutCommonDatabases(adminUrl: string): Promise<void> {
  await withPostgres(adminUrl, (client) =>
    client.query('REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC'),
  );
}

/** Creates one role and its database, as `createDatabases` does, and returns its URL. */
export function createDatabase(adminUrl: string, { name, password }: Database): Promise<string> {
  const role = pg.escapeIdentifier(name);
  return withPostgres(adminUrl, async (client) => {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
    const verb = roles.rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount === 0) {
      // An administrator that is not a superuser must be a member of the role that will own the database.
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
