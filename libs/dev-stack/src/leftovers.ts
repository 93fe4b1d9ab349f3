import { setTimeout as sleep } from 'node:timers/promises';
import { runningProcesses } from './processes.ts';
import { recordedProcesses, removeStackFile } from './stack-file.ts';
import { StackError } from './stack-error.ts';

const PATIENCE_MS = 12_000;
const KILL_MS = 10_000;
const LOOK_MS = 50;

type Recorded = ReturnType<typeof recordedProcesses>;

/**
 * Waits until the processes of an earlier stack, whose launcher was killed, have exited. Their watchdogs have sent the signal; processes
 * left after `patienceMs` get SIGKILL. The caller must hold the lock of the folder. Throws a StackError if a process remains.
 */
export async function endLeftovers(
  dataDir: string,
  say: (line: string) => void,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  let left = await stillRunning(recordedProcesses(dataDir));
  if (left.length > 0) say(`waiting for an earlier stack to stop (${left.map(({ name }) => name).join(', ')})`);
  left = await leftAfter(left, patienceMs);
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  for (const { name, pid } of await leftAfter(left, KILL_MS)) {
    throw new StackError(`${name} of an earlier stack (process ${pid}) does not stop. Stop it manually.`);
  }
  removeStackFile(dataDir);
}

async function leftAfter(processes: Recorded, ms: number): Promise<Recorded> {
  const deadline = Date.now() + ms;
  let left = processes;
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(LOOK_MS);
    left = await stillRunning(left);
  }
  return left;
}

/** Returns the recorded processes that still run. One that started after `seenAt` has reused the id. */
async function stillRunning(recorded: Recorded): Promise<Recorded> {
  if (recorded.length === 0) return [];
  const running = await runningProcesses();
  return recorded.filter(({ pid, seenAt }) => (running.get(pid)?.startedAt ?? Infinity) <= seenAt);
}
