import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { lockFolder } from '@esd/dev-stack/folder-lock';
import { root } from '@esd/dev-stack/root';
import { hashFile } from '@esd/object-store/file-hash';
import { checkFile, poolFile, readList } from '../deploy/object-pool.ts';
import { AdminError, EXIT } from './admin-error.ts';
import { COMPOSE, compose, runProgram, type Selection } from './installation.ts';
import type { Report } from './report.ts';

const FILES = 'files.sha256';
const DATABASES = 'databases.sha256';
const BUCKETS = ['esd-images', 'esd-exports'];
const COPY_MS = 86_400_000;
// Of a shell that does not find the program.
const NOT_FOUND = 127;
// Of a running stack; a backup does not need them.
const RUNNING = ['lock.db', 'stack.json', 'environments.json'];

/** Backs up an installation into a new folder in `folder`. Throws an AdminError if it fails. */
export async function backUp(selection: Selection, folder: string): Promise<Report> {
  if (selection.dataDir !== undefined) return backUpFolder(selection.dataDir, folder);
  return runScript('backup.sh', folder, selection);
}

/** Restores a backup into an empty installation. Throws an AdminError if it fails. */
export async function restore(selection: Selection, backup: string, yes: boolean): Promise<Report> {
  if (!yes) {
    const into = selection.dataDir ?? 'the databases and buckets of the installation, which must be empty';
    const lines = [`Restores ${backup} into ${into}.`, 'Nothing is changed. Repeat the command with --yes.'];
    return { json: { isDone: false, backup, into }, lines, code: EXIT.notDone };
  }
  if (selection.dataDir !== undefined) return restoreFolder(selection.dataDir, backup);
  return runScript('restore.sh', backup, selection);
}

/** Compares the SHA-256 of every file of a backup, and reads the table of contents of every dump. */
export async function checkBackup(backup: string): Promise<Report> {
  if (basename(resolve(backup)).endsWith('.part'))
    throw new AdminError(EXIT.notDone, `${backup} is an incomplete backup. Delete it.`);
  const list = [FILES, DATABASES].find((name) => existsSync(join(backup, name)));
  if (list === undefined)
    throw new AdminError(EXIT.notDone, `${backup} is not a backup: it has neither ${FILES} nor ${DATABASES}.`);
  const expected = (await readHashes(backup, list)).map(([name, sha256]) => ({ file: join(backup, name), sha256 }));
  const pool = join(dirname(resolve(backup)), 'objects');
  for (const bucket of list === DATABASES ? BUCKETS : []) {
    const objects = await readHashes(backup, `${bucket}.sha256`);
    expected.push(...objects.map(([, sha256]) => ({ file: poolFile(pool, sha256), sha256 })));
  }
  const damaged: string[] = [];
  for (const { file, sha256 } of expected) {
    const hash = await checkFile(file, sha256);
    if (typeof hash === 'string') damaged.push(`${file} is ${hash}`);
  }
  const files = expected.length;
  const dumps = list === DATABASES ? readdirSync(backup).filter((name) => name.endsWith('.dump')) : [];
  const [first] = dumps;
  const prefix = first === undefined ? '' : await postgresPrefix(join(backup, first));
  for (const dump of dumps) {
    const { code, stderr } = await listDump(prefix, join(backup, dump));
    if (code !== 0)
      damaged.push(`${dump}: its table of contents cannot be read: ${stderr.trim().split('\n')[0] ?? ''}`);
  }
  const isWhole = damaged.length === 0;
  const lines = isWhole ? [`${files} files and ${dumps.length} tables of contents are whole`] : damaged;
  return { json: { backup, files, dumps: dumps.length, damaged }, lines, code: isWhole ? EXIT.done : EXIT.notDone };
}

/** Returns the command prefix of ESD_POSTGRES, none if the installed pg_restore knows the format of the dump, or else that of compose. */
async function postgresPrefix(dump: string): Promise<string> {
  const given = process.env['ESD_POSTGRES'];
  if (given !== undefined) return given;
  const { code, stderr } = await listDump('', dump);
  const isUsable = code !== NOT_FOUND && !stderr.includes('unsupported version');
  return isUsable ? '' : `${COMPOSE.join(' ')} exec -T postgres`;
}

const listDump = (prefix: string, dump: string) =>
  runProgram(['sh', '-c', `${prefix} pg_restore --list <"$1" >/dev/null`, 'sh', dump]);

async function backUpFolder(dataDir: string, folder: string): Promise<Report> {
  if (!existsSync(join(dataDir, 'secrets.json')))
    throw new AdminError(EXIT.unreachable, `${dataDir} is not the folder of a stack.`);
  const lock = await stoppedStack(dataDir);
  try {
    const backup = join(folder, new Date().toISOString().replaceAll(':', '-').replace(/\.\d+/, ''));
    const part = `${backup}.part`;
    // The files contain secrets and personal data.
    await mkdir(part, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(dataDir).filter((one) => !RUNNING.includes(one))) {
      await copy(join(dataDir, name), part);
    }
    const files = listFiles(part);
    for (const name of files)
      await appendFile(join(part, FILES), `${(await hashFile(join(part, name))).sha256}  ${name}\n`);
    await rename(part, backup);
    return { json: { isDone: true, backup, files: files.length }, lines: [backup], code: EXIT.done };
  } finally {
    lock.release();
  }
}

async function restoreFolder(dataDir: string, backup: string): Promise<Report> {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new AdminError(EXIT.notDone, `${dataDir} is not empty. Choose a new folder with --data-dir.`);
  }
  const check = await checkBackup(backup);
  if (check.code !== EXIT.done) return check;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  for (const name of readdirSync(backup).filter((one) => one !== FILES)) await copy(join(backup, name), dataDir);
  const lines = [`${dataDir} is restored. Start it with: npm start -- --data-dir ${dataDir}`];
  return { json: { isDone: true, dataDir }, lines, code: EXIT.done };
}

/** Copies with the owner and its permissions, which PostgreSQL checks, and without any permission of other users. */
async function copy(from: string, into: string): Promise<void> {
  const script = 'cp -a "$1" "$2/" && chmod -R go= "$3"';
  const words = ['sh', '-c', script, 'sh', from, into, join(into, basename(from))];
  const { code, stderr } = await runProgram(words, { timeout: COPY_MS });
  if (code !== 0) throw new AdminError(EXIT.notDone, `${from} cannot be copied: ${stderr.trim().split('\n')[0] ?? ''}`);
}

async function stoppedStack(dataDir: string): Promise<{ release: () => void }> {
  try {
    return await lockFolder(dataDir, console.error);
  } catch (error) {
    throw new AdminError(EXIT.notDone, error instanceof Error ? error.message : String(error));
  }
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function readHashes(backup: string, list: string): Promise<[string, string][]> {
  const file = join(backup, list);
  if (!existsSync(file)) throw new AdminError(EXIT.notDone, `${file} is missing: incomplete backup.`);
  return [...(await readList(file))].map(([name, { sha256 }]) => [name, sha256]);
}

/** Runs a script of tools/deploy; its output goes to standard error, and its last line is the outcome. */
async function runScript(name: string, folder: string, { kubernetes }: Selection): Promise<Report> {
  const postgres = kubernetes === undefined ? undefined : `kubectl -n ${kubernetes} exec -i postgres-0 --`;
  const commands = name === 'restore.sh' ? ['ESD_OBJECTS', 'ESD_STREAM'] : ['ESD_OBJECTS'];
  const missing = commands.find((variable) => !process.env[variable]);
  if (kubernetes !== undefined && missing !== undefined)
    throw new AdminError(EXIT.usage, `With --kubernetes, set ${missing} and its keys as docs/operations.md describes.`);
  const env = { ...(postgres === undefined ? {} : { ESD_POSTGRES: postgres }), ...process.env };
  // Otherwise the script fails after it has created its folder.
  if (!('ESD_POSTGRES' in env) && (await compose().replicas('postgres')).length === 0) {
    const message =
      'No PostgreSQL runs in the compose project. Start it, or select another installation with --data-dir.';
    throw new AdminError(EXIT.unreachable, message);
  }
  return new Promise((resolve, reject) => {
    const child = spawn('sh', [join(root, 'tools', 'deploy', name), folder], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      process.stderr.write(chunk);
    });
    child.once('error', reject).once('close', (code) => {
      const outcome = output.trim().split('\n').at(-1) ?? '';
      const exitCode = code === EXIT.done || code === EXIT.damaged ? code : EXIT.notDone;
      const isDone = exitCode !== EXIT.notDone;
      resolve({ json: { isDone, outcome }, lines: isDone ? [outcome] : [], code: exitCode });
    });
  });
}
