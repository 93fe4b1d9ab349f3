/** Runs the steps of an installation. Each checkout has at most one installation at a time, and each step has a log. */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment, root } from './run.mjs';
import { Stop } from './stop.mjs';

export const toolsFolder = join(root, '.tools');

const lockFile = join(toolsFolder, 'install.lock');

export const pipReasons = [
  [/No module named pip/, 'python3 has no pip. Install it, for example with `apt install python3-pip`'],
  [
    /NewConnectionError|ConnectTimeout|Name or service not known|name resolution/i,
    'PyPI is unreachable. Check the network connection',
  ],
  [/Permission denied|Read-only/, `${root} is not writable. Change its permissions`],
  [/No space left/, 'the disk is full. Free some space'],
];

/**
 * Runs one step with its output in a log. Throws a Stop with the first of `reasons` whose pattern matches the output, otherwise with the
 * end of the output.
 */
export async function installStep(what, command, arguments_, timeout, { signal, env, reasons }) {
  const started = Date.now();
  console.log(`installing: ${what}`);
  const log = join(toolsFolder, `${what.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}.log`);
  const output = openSync(log, 'w');
  const child = spawn(command, arguments_, {
    cwd: root,
    env: environment(env),
    stdio: ['ignore', output, output],
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    // npm without a network does not react to other signals. The next start repeats the step.
    killSignal: 'SIGKILL',
  });
  closeSync(output);
  const problem = await new Promise((resolve) => {
    child.once('error', (error) => child.pid === undefined && resolve(error.message));
    child.once('exit', (code, by) =>
      resolve(code === 0 ? undefined : `the command ended with ${by ?? `code ${code}`}`),
    );
    if (child.pid !== undefined) appendFileSync(lockFile, `${child.pid}\n`);
  });
  signal.throwIfAborted();
  if (problem !== undefined) {
    const text = `${problem}\n${readFileSync(log, 'utf8')}`;
    const reason = reasons.find(([pattern]) => pattern.test(text))?.[1];
    throw new Stop(`Cannot install ${what}: ${reason ?? `${problem}. See ${log}:\n${text.trimEnd().slice(-1_500)}`}.`);
  }
  console.log(`installed:  ${what} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/**
 * Waits until no other installation runs in this checkout, and locks it. The lock file lists the processes of the installation; it is
 * stale when all of them have ended. Returns a function that unlocks.
 */
export async function lockInstallation() {
  try {
    mkdirSync(toolsFolder, { recursive: true });
    for (let waited = 0; ; waited++) {
      try {
        writeFileSync(lockFile, `${process.pid}\n`, { flag: 'wx' });
        return () => rmSync(lockFile, { force: true });
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const pids = readLock();
      if (!pids.some(isAlive)) rmSync(lockFile, { force: true });
      else {
        if (waited === 0) console.log(`waiting for another installation to finish (process ${pids.join(', ')})`);
        await sleep(500);
      }
    }
  } catch (error) {
    if (['EACCES', 'EROFS', 'EPERM'].includes(error.code)) {
      throw new Stop(`Cannot install the missing packages: ${root} is not writable. Change its permissions.`);
    }
    throw error;
  }
}

function readLock() {
  try {
    return readFileSync(lockFile, 'utf8').trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
