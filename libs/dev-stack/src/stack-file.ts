import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { member } from './json-value.ts';
import { writeFileSafely } from './write-file.ts';

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
const environmentsName = 'environments.json';

/** Writes the settings of every process by its name, which include secrets, for commands that run next to a process. */
export function writeEnvironments(
  dataDir: string,
  processes: readonly { name: string; env: NodeJS.ProcessEnv }[],
): void {
  const settings = ({ env }: { env: NodeJS.ProcessEnv }) =>
    Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('ESD_')));
  const byName = Object.fromEntries(processes.map((process) => [process.name, settings(process)]));
  writeFileSafely(join(dataDir, environmentsName), JSON.stringify(byName));
}

/** Returns the settings of the processes of a running stack by their names, or undefined if no stack runs in the folder. */
export function runningEnvironments(dataDir: string): Map<string, Record<string, string>> | undefined {
  const launcher = member(readStackFile(dataDir), 'launcher');
  if (typeof launcher !== 'number' || !isRunning(launcher)) return undefined;
  const byName = Object.entries(JSON.parse(readFileSync(join(dataDir, environmentsName), 'utf8')) as object); // written above
  return new Map(byName.map(([name, env]) => [name, env as Record<string, string>]));
}

/** Writes `stack.json` synchronously: a process must be recorded as soon as it exists. */
export function writeStackFile(dataDir: string, state: StackState): void {
  const file = join(dataDir, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Returns the URL of the stack in a folder; undefined for a folder without a stack. */
export function gatewayUrlOf(dataDir: string): string | undefined {
  const url = member(readStackFile(dataDir), 'url');
  return typeof url === 'string' ? url : undefined;
}

/** Deletes `stack.json`. A folder without it has no running stack. */
export function removeStackFile(dataDir: string): void {
  for (const name of [fileName, environmentsName]) rmSync(join(dataDir, name), { force: true });
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
