import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

/** A way to run a program that refuses to run as root. */
export interface Unprivileged {
  prefix: string[];
  /** The user to run as, if it is not the current one. */
  user: { uid: number; gid: number } | undefined;
  canReach: (path: string) => Promise<boolean>;
}

/** The id of the user `nobody` on every Linux distribution. initdb requires a user with a name. */
const NOBODY_ID = 65534;
const userNamespace = ['unshare', '--user', `--map-user=${NOBODY_ID}`, `--map-group=${NOBODY_ID}`, '--'];

/**
 * Finds a way to run a server that refuses to run as root, with its data in `folder` (which may not exist yet) inside `parent`.
 * An ordinary user runs it directly. Root runs it in a user namespace that maps root's files to an ordinary user, so it works in folders
 * that only root can enter. If the kernel forbids this, root runs it as the user `postgres` or `nobody`.
 * Throws a StackError if that user cannot reach the folder.
 */
export async function unprivileged(folder: string, parent: string): Promise<Unprivileged> {
  const itself = { prefix: [], user: undefined, canReach: () => Promise.resolve(true) };
  if (process.getuid?.() !== 0) return itself;
  if (process.platform !== 'linux') {
    throw new StackError(
      'PostgreSQL refuses to run as root. Start as an ordinary user, or set ESD_PG_ADMIN_URL to the URL of your own server.',
    );
  }
  const owner = await stat(folder).catch(() => undefined);
  const hasOtherOwner = owner !== undefined && owner.uid !== 0;
  if (!hasOtherOwner && (await succeeds([...userNamespace, 'true']))) return { ...itself, prefix: userNamespace };

  // Lets other users enter the data folder. Secret files in it stay readable only by their owner.
  const { mode } = await stat(parent);
  await chmod(parent, mode | 0o011);
  const user = hasOtherOwner ? { uid: owner.uid, gid: owner.gid } : await serverUser();
  const canReach = (path: string): Promise<boolean> => succeeds(['test', '-x', path], user);
  if (!(await canReach(parent))) {
    throw new StackError(
      `PostgreSQL refuses to run as root and would run as user ${user.uid}, which cannot enter ${parent}. ` +
        'Start as an ordinary user, or choose a folder that every user can enter, for example --data-dir /var/tmp/esd.',
    );
  }
  return { prefix: [], user, canReach };
}

async function serverUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name], { timeout: 5_000 })));
      if (uid !== undefined && gid !== undefined) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {}
  }
  throw new StackError(
    'PostgreSQL refuses to run as root, and the users `postgres` and `nobody` do not exist. Start as an ordinary user.',
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
