import { join, resolve } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';

/**
 * Installs what is missing, runs the local stack until it is stopped, and returns its exit code.
 *
 * @param {ReturnType<import('./start-options.mjs').readOptions>} options
 * @param {string} usage printed for --help
 */
export async function runStack({ help, ...options }, usage) {
  if (help) {
    console.log(usage);
    return 0;
  }
  const startedAt = Date.now();
  await ensureInstalled({ runtimeOnly: true, servers: true, generated: true, pages: true });
  if (process.env.npm_execpath !== undefined) endWithParent();
  const dataDir = resolve(process.env.INIT_CWD ?? '.', options.dataDir);
  const settings = JSON.stringify({ ...options, dataDir, startedAt });
  // Halves the memory of the launcher, which mostly waits.
  const small = ['--optimize-for-size', '--max-semi-space-size=1'];
  return runNode([...small, join(root, 'libs', 'dev-stack', 'src', 'main.ts'), settings], { watchdog: true });
}

/** Stops this process when npm, its parent, was killed without forwarding a signal. */
function endWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
