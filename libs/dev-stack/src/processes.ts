import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

/** One running process from `ps`; `startedAt` is in milliseconds since 1970, rounded down to the second. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  startedAt: number;
  /** Its command line, or the title that it has set instead. */
  title: string;
}

const KILL_MS = 5_000;
const LOOK_MS = 50;

/** Returns all running processes of the machine by id, without zombies. */
export async function runningProcesses(): Promise<Map<number, ProcessInfo>> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,args='], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    timeout: 10_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const found = new Map<number, ProcessInfo>();
  for (const line of stdout.split('\n')) {
    const [pid, parent, state, ...words] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state === undefined || state.startsWith('Z')) continue;
    const startedAt = Date.parse(`${words.slice(0, 5).join(' ')} UTC`);
    found.set(Number(pid), { pid: Number(pid), parent: Number(parent), startedAt, title: words.slice(5).join(' ') });
  }
  return found;
}

/** Kills all processes whose title begins with `prefix`, and waits until they have exited. Throws a StackError if one remains. */
export async function killByTitle(prefix: string): Promise<void> {
  const deadline = Date.now() + KILL_MS;
  for (;;) {
    const left = [...(await runningProcesses()).values()].filter(({ title }) => title.startsWith(prefix));
    if (left.length === 0) return;
    const pids = left.map(({ pid }) => pid);
    if (Date.now() > deadline) throw new StackError(`Processes ${pids.join(', ')} do not stop. Stop them manually.`);
    for (const pid of pids) killIfRunning(pid);
    await sleep(LOOK_MS);
  }
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
