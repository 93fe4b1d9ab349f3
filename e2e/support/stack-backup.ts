import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@esd/dev-stack/root';
import { services } from '@esd/dev-stack/service-table';
import { runCommand } from '@esd/testing/run-command';
import type { TestStack } from '@esd/testing/stack';
import { query } from './database.ts';

/** The version of the embedded server. pg_dump refuses a newer one. */
const POSTGRES = 18;
const IMAGE = 'postgres:18.4';
const SCRIPT_MS = 300_000;

/** The reason why a drill with a backup cannot run. */
export const WITHOUT_POSTGRES_PROGRAMS = `pg_dump ${POSTGRES} is missing. Install the PostgreSQL ${POSTGRES} client, or run: docker pull ${IMAGE}`;

/** Returns the value of ESD_POSTGRES for a stack. Undefined if this machine has neither pg_dump nor an image with it. */
export async function postgresCommand(stack: TestStack): Promise<string | undefined> {
  const url = new URL(stack.adminUrl);
  const login = [`PGHOST=${url.hostname}`, `PGPORT=${url.port}`, `PGPASSWORD=${url.password}`];
  const version = await runCommand(['pg_dump', '--version']).catch(() => '');
  if (Number(/ (\d+)/.exec(version)?.[1] ?? 0) >= POSTGRES) return ['env', ...login].join(' ');
  const image = await runCommand(['docker', 'image', 'inspect', IMAGE]).catch(() => undefined);
  if (image === undefined) return undefined;
  return ['docker run --rm -i --network host', ...login.map((one) => `-e ${one}`), IMAGE].join(' ');
}

/** Runs backup.sh or restore.sh for a local stack and returns the last line of the output. `folder` is for a script with the keys. */
export async function backupScript(
  stack: TestStack,
  name: 'backup.sh' | 'restore.sh',
  path: string,
  folder: string,
): Promise<string> {
  const { user, password } = stack.nats.user('submission-svc');
  const nats = [`ESD_NATS_URL=${stack.nats.url}`, `ESD_NATS_USER=${user}`, `ESD_NATS_PASSWORD=${password}`];
  const env = {
    ...process.env,
    ESD_STREAM: ['env', ...nats, process.execPath, 'tools/deploy/stream.ts'].join(' '),
    ESD_POSTGRES: await postgresCommand(stack),
    ESD_OBJECTS: `sh ${await objectsScript(stack, folder)}`,
  };
  const script = join(root, 'tools', 'deploy', name);
  return (await runCommand([script, path], { cwd: root, env, timeoutMs: SCRIPT_MS })).trim().split('\n').at(-1) ?? '';
}

/** Writes a script that runs objects.ts for each bucket, because each bucket of a local stack has its own key. */
async function objectsScript(stack: TestStack, folder: string): Promise<string> {
  const cases = services.flatMap(({ name, bucket }) => {
    if (bucket === undefined) return [];
    const { ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY } = stack.environment(name);
    const keys = Object.entries({ ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY });
    return [`${bucket}) export ${keys.map(([key, value]) => `${key}='${value}'`).join(' ')} ;;`];
  });
  const file = join(folder, 'objects.sh');
  const lines = [
    'set -u',
    'mode=$1 lists=$2 pool=$3 status=0; shift 3',
    `for bucket; do case $bucket in\n${cases.join('\n')}\nesac`,
    `'${process.execPath}' tools/deploy/objects.ts "$mode" "$lists" "$pool" "$bucket" || status=$?; done`,
    'exit $status',
  ];
  await writeFile(file, lines.join('\n'), { mode: 0o600 });
  return file;
}

/** Stops the services of a stack and replaces their databases with empty ones, as docs/operations.md describes for a restore. */
export async function emptyDatabases(stack: TestStack): Promise<void> {
  await Promise.all(Object.keys(stack.addresses).map((name) => stack.kill(name)));
  for (const { database } of services) {
    if (database === undefined) continue;
    await query(stack.adminUrl, `drop database ${database} with (force)`);
    await query(stack.adminUrl, `create database ${database} owner ${database}`);
    await query(stack.adminUrl, `revoke all on database ${database} from public`);
  }
}

/** Replaces NATS by a server with a new volume. The services must not run. */
export async function emptyStream(stack: TestStack): Promise<void> {
  await stack.kill('nats');
  await rm(join(stack.dataDir, 'nats'), { recursive: true });
  await stack.start('nats');
}
