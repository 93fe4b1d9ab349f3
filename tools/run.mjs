import { spawn } from 'node:child_process';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** True where the machine's own Node runs everything. An npm script runs on the installed one as soon as there is one. */
export const hasOwnNode =
  Number(process.versions.node.split('.')[0]) >= 24 && !process.execPath.includes(`${sep}node_modules${sep}`);

/** The Node that everything runs on: the machine's own, else the one that is installed. */
export const node = hasOwnNode ? process.execPath : join(root, 'node_modules', 'node', 'bin', 'node');

const bin = join(root, 'node_modules', '.bin');

/** The environment of a program of ours: the installed Node and tools come first on its PATH. */
export function environment(more = {}) {
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NX_DAEMON: 'false',
    // Saves each process from stripping the same types again: it starts sooner and keeps some 20 MB less.
    NODE_COMPILE_CACHE: join(root, '.tools', 'compile-cache'),
    ...more,
  };
}

/** The arguments for Node that run nx; its passing output would be hidden in another style. */
export function nxArguments(arguments_) {
  return [join(bin, 'nx'), ...arguments_, '--outputStyle=static'];
}

/**
 * Runs a program under the installed Node in the root of the checkout and returns its exit code. Signals are passed on, so
 * that it ends in order.
 *
 * @param {string[]} arguments_
 * @param {{ env?: Record<string, string>, watchdog?: boolean }} [options] `watchdog`: the program's file descriptor 3 is a pipe that
 *   closes when this process is gone, however it ended
 */
export function runNode(arguments_, { env, watchdog = false } = {}) {
  const child = spawn(node, arguments_, {
    cwd: root,
    env: environment(env),
    stdio: watchdog ? ['ignore', 'inherit', 'inherit', 'pipe'] : 'inherit',
    // a watched program is in a group of its own, so that Ctrl-C reaches it once, from here.
    detached: watchdog,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
