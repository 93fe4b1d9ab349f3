import { join, resolve } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root, runNode } from './run.mjs';

/**
 * Installs what is missing, then runs the local stack until it is stopped; returns its exit code.
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
  // The launcher mostly waits; this halves what it holds, and its garbage.
  const small = ['--optimize-for-size', '--max-semi-space-size=1'];
  return runNode([...small, join(root, 'libs', 'dev-stack', 'src', 'main.ts'), settings], { watchdog: true });
}

/** Stops in order when npm, which started this process, has been killed and could signal nothing. */
function endWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
