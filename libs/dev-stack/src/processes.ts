import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One running process from `ps`; `startedAt` is in milliseconds since 1970, rounded down to the second. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  startedAt: number;
}

/** Returns all running processes of the machine by id, without zombies. */
export async function runningProcesses(): Promise<Map<number, ProcessInfo>> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart='], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    timeout: 10_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  const found = new Map<number, ProcessInfo>();
  for (const line of stdout.split('\n')) {
    const [pid, parent, state, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || state === undefined || state.startsWith('Z')) continue;
    const startedAt = Date.parse(`${started.join(' ')} UTC`);
    found.set(Number(pid), { pid: Number(pid), parent: Number(parent), startedAt });
  }
  return found;
}
