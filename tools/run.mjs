import { spawn } from 'node:child_process';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** True if the machine's own Node runs everything. npm scripts run on the installed Node as soon as it exists. */
export const hasOwnNode =
  Number(process.versions.node.split('.')[0]) >= 24 && !process.execPath.includes(`${sep}node_modules${sep}`);

/** The path of the Node that runs everything: the machine's own or the installed one. */
export const node = hasOwnNode ? process.execPath : join(root, 'node_modules', 'node', 'bin', 'node');

const bin = join(root, 'node_modules', '.bin');

/** Returns the environment of our programs. The installed Node and tools come first in PATH. */
export function environment(more = {}) {
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NX_DAEMON: 'false',
    // Caches stripped types: a process starts faster and takes 20 MB less memory.
    NODE_COMPILE_CACHE: join(root, '.tools', 'compile-cache'),
    ...more,
  };
}

/** Returns the arguments that run nx. Other output styles hide the output of passed targets. */
export function nxArguments(arguments_) {
  return [join(bin, 'nx'), ...arguments_, '--outputStyle=static'];
}

/**
 * Runs a program in the root of the checkout with `node` and returns its exit code. Forwards signals to it.
 *
 * @param {string[]} arguments_
 * @param {{ env?: Record<string, string>, watchdog?: boolean }} [options] `watchdog`: file descriptor 3 of the program is a pipe that
 *   closes when this process ends or crashes
 */
export function runNode(arguments_, { env, watchdog = false } = {}) {
  const child = spawn(node, arguments_, {
    cwd: root,
    env: environment(env),
    stdio: watchdog ? ['ignore', 'inherit', 'inherit', 'pipe'] : 'inherit',
    // A process group of its own, so that Ctrl-C reaches the program only once, from here.
    detached: watchdog,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
