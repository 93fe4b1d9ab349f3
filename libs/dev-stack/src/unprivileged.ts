import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

/** How a program that refuses to run as root is run. */
export interface Unprivileged {
  /** Words before the command. */
  prefix: string[];
  /** The user to run as, when root has to become another one. */
  user: { uid: number; gid: number } | undefined;
  /** Whether the program can enter or run a path. */
  canReach: (path: string) => Promise<boolean>;
}

/** The number of the user `nobody` on every Linux: its name is always known, which initdb wants. */
const nobody = 65534;
const userNamespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];

/**
 * Finds a way to run a server that refuses to be root, with its data in `folder` (which may not exist yet) inside `parent`.
 * An ordinary user just runs it. Root runs it in a user namespace, in which root's own files belong to an ordinary user, so
 * that it works in folders that nobody else can enter; where the kernel does not allow that, as the user `postgres` or `nobody`.
 * Throws a StackError when that user cannot reach the folder.
 */
export async function unprivileged(folder: string, parent: string): Promise<Unprivileged> {
  const itself = { prefix: [], user: undefined, canReach: () => Promise.resolve(true) };
  if (process.getuid?.() !== 0) return itself;
  if (process.platform !== 'linux') {
    throw new StackError(
      'PostgreSQL refuses to run as root: start as an ordinary user, or set ESD_PG_ADMIN_URL to a server of yours.',
    );
  }
  const owner = await stat(folder).catch(() => undefined);
  const hasOtherOwner = owner !== undefined && owner.uid !== 0;
  if (!hasOtherOwner && (await succeeds([...userNamespace, 'true']))) return { ...itself, prefix: userNamespace };

  // The data folder is ours to open; what is secret in it only its owner can read.
  const { mode } = await stat(parent);
  await chmod(parent, mode | 0o011);
  const user = hasOtherOwner ? { uid: owner.uid, gid: owner.gid } : await serverUser();
  const canReach = (path: string): Promise<boolean> => succeeds(['test', '-x', path], user);
  if (!(await canReach(parent))) {
    throw new StackError(
      `PostgreSQL refuses to run as root, and user ${user.uid}, as which it would run, cannot enter ${parent}: ` +
        'start as an ordinary user, or choose a folder that everyone can enter, for example --data-dir /var/tmp/esd.',
    );
  }
  return { prefix: [], user, canReach };
}

async function serverUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name], { timeout: 5_000 })));
      if (uid !== undefined && gid !== undefined) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user here; the next name.
    }
  }
  throw new StackError(
    'PostgreSQL refuses to run as root, and there is no user postgres or nobody: start as an ordinary user.',
  );
}

async function succeeds(words: string[], user?: { uid: number; gid: number }): Promise<boolean> {
  const [command = '', ...args] = words;
  try {
    await run(command, args, { cwd: '/', timeout: 5_000, ...user });
    return true;
  } catch {
    return false;
  }
}
