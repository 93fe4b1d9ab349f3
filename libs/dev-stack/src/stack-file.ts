import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { member } from './json-value.ts';

/** What `stack.json` in the data folder says about a running stack. */
export interface StackState {
  /** Process id of the launcher. */
  launcher: number;
  /** Process id of the program that started the launcher, which stops when that one is gone. */
  parent: number;
  /** True once every process is ready and the demo dataset, if wanted, is in. */
  ready: boolean;
  /** True while the processes are being ended. */
  stopping: boolean;
  /** Where the first gateway answers. */
  url: string;
  /** The addresses of every process by name, then by what is spoken there. */
  addresses: Record<string, Record<string, string>>;
  /** Process ids by name. */
  processes: Record<string, number>;
}

const fileName = 'stack.json';

/** Writes `stack.json`, at once and without a wait: a process must be on record the moment it exists. */
export function writeStackFile(dataDir: string, state: StackState): void {
  const file = join(dataDir, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Removes `stack.json`: a folder without it has no running stack. */
export function removeStackFile(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

/** The processes on record in a folder, each with the time (in milliseconds since 1970) at which it was last known to run. */
export function recordedProcesses(dataDir: string): { name: string; pid: number; seenAt: number }[] {
  const stat = statSync(join(dataDir, fileName), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return Object.entries(member(readStackFile(dataDir), 'processes') ?? {}).flatMap(([name, pid]) =>
    typeof pid === 'number' ? [{ name, pid, seenAt: stat.mtimeMs }] : [],
  );
}

/** True while a stack in this folder is ending its processes, or will as soon as it notices that its parent is gone. */
export function isStopping(dataDir: string): boolean {
  const state = readStackFile(dataDir);
  const parent = member(state, 'parent');
  return member(state, 'stopping') === true || (typeof parent === 'number' && !isRunning(parent));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user runs, but may not be signaled.
    return member(error, 'code') === 'EPERM';
  }
}

function readStackFile(dataDir: string): unknown {
  try {
    return JSON.parse(readFileSync(join(dataDir, fileName), 'utf8'));
  } catch {
    // There is none, or it has gone since.
    return undefined;
  }
}
