import { setTimeout as sleep } from 'node:timers/promises';
import { runningProcesses } from './processes.ts';
import { recordedProcesses, removeStackFile } from './stack-file.ts';
import { StackError } from './stack-error.ts';

/** Longer than any watchdog waits before its own SIGKILL. */
const patienceMs = 12_000;

/**
 * Waits until the processes of an earlier stack, whose launcher was killed, have ended. Their watchdogs have sent the signal; what
 * is left after that gets SIGKILL. The caller holds the folder's lock.
 */
export async function endLeftovers(dataDir: string, say: (line: string) => void): Promise<void> {
  const recorded = recordedProcesses(dataDir);
  const started = Date.now();
  let left = await stillRunning(recorded);
  if (left.length > 0) say(`waiting for the end of an earlier stack (${left.map(({ name }) => name).join(', ')})`);
  while (left.length > 0 && Date.now() - started < patienceMs) {
    await sleep(100);
    left = await stillRunning(left);
  }
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  if (left.length > 0) await sleep(1_000);
  for (const { name, pid } of await stillRunning(left)) {
    throw new StackError(`${name} of an earlier stack (process ${pid}) does not end: end it by hand.`);
  }
  removeStackFile(dataDir);
}

/**
 * A process that started after the record was last written only has the number of one of ours. Start times are known to the
 * second, rounded down.
 */
async function stillRunning<T extends { pid: number; seenAt: number }>(recorded: T[]): Promise<T[]> {
  if (recorded.length === 0) return [];
  const running = await runningProcesses();
  return recorded.filter(({ pid, seenAt }) => (running.get(pid)?.startedAt ?? Infinity) <= seenAt);
}
