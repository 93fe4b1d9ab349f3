import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { member } from './json-value.ts';

/** The state of a running stack in `stack.json` of the data folder. */
export interface StackState {
  launcher: number;
  /** Process id of the program that started the launcher. The launcher stops when it ends. */
  parent: number;
  /** True once every process is ready and the demo dataset, if requested, is imported. */
  ready: boolean;
  stopping: boolean;
  url: string;
  /** The addresses of every process by name, then by protocol. */
  addresses: Record<string, Record<string, string>>;
  processes: Record<string, number>;
}

const fileName = 'stack.json';

/** Writes `stack.json` synchronously: a process must be recorded as soon as it exists. */
export function writeStackFile(dataDir: string, state: StackState): void {
  const file = join(dataDir, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Deletes `stack.json`. A folder without it has no running stack. */
export function removeStackFile(dataDir: string): void {
  rmSync(join(dataDir, fileName), { force: true });
}

/** Returns the recorded processes of a folder. `seenAt` is the last time they were known to run, in milliseconds since 1970. */
export function recordedProcesses(dataDir: string): { name: string; pid: number; seenAt: number }[] {
  const stat = statSync(join(dataDir, fileName), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return Object.entries(member(readStackFile(dataDir), 'processes') ?? {}).flatMap(([name, pid]) =>
    typeof pid === 'number' ? [{ name, pid, seenAt: stat.mtimeMs }] : [],
  );
}

/** Reports whether the stack of a folder is stopping its processes, or is about to because its parent has ended. */
export function isStopping(dataDir: string): boolean {
  const state = readStackFile(dataDir);
  const parent = member(state, 'parent');
  return member(state, 'stopping') === true || (typeof parent === 'number' && !isRunning(parent));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user runs but cannot be signaled.
    return member(error, 'code') === 'EPERM';
  }
}

function readStackFile(dataDir: string): unknown {
  try {
    return JSON.parse(readFileSync(join(dataDir, fileName), 'utf8'));
  } catch {
    return undefined;
  }
}
