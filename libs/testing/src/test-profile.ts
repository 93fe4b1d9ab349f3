import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileProfile } from './native-environment.ts';
import { processorSeconds, SharedTime } from './processor-time.ts';

/** The processor time of shared servers by name; empty unless ESD_TEST_PROFILE is set. */
const servers = new Map<string, SharedTime>();

/** Measures a server that test files share. Returns undefined unless ESD_TEST_PROFILE is set. */
export function measureServer(name: string, roots: () => readonly number[]): SharedTime | undefined {
  if (process.env['ESD_TEST_PROFILE'] === undefined) return undefined;
  const server = new SharedTime(roots);
  servers.set(servers.has(name) ? `${name} ${servers.size}` : name, server);
  return server;
}

export function beginUse(name: string, file: string): void {
  servers.get(name)?.begin(file);
}

export function endUse(file: string): void {
  for (const server of servers.values()) server.end(file);
}

interface Row {
  name: string;
  wall: number;
  worker: number;
  started: number;
  shared: number;
  total: number;
}

/** Returns the processor seconds of each test file: its worker, its own processes, and its share of shared servers. */
export function fileProfiles(profileFile: string, seconds: ReadonlyMap<string, number>, root: string): Row[] {
  for (const server of servers.values()) server.close();
  const profiles = readFileSync(profileFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FileProfile); // written by profile-environment.ts
  return profiles
    .map(({ path, worker, started }) => {
      const shared = [...servers.values()].reduce((sum, { byFile }) => sum + (byFile.get(path) ?? 0), 0);
      const name = path.slice(root.length + 1);
      return { name, wall: seconds.get(path) ?? 0, worker, started, shared, total: worker + started + shared };
    })
    .sort((a, b) => b.total - a.total);
}

/** Returns the processor seconds of each project of jest.config.mjs. `projects` has the project of each file. */
export function projectSeconds(
  rows: readonly Row[],
  root: string,
  projects: ReadonlyMap<string, string>,
): { projects: Record<string, number> } {
  const sums: Record<string, number> = {};
  for (const { name, total } of rows) {
    const project = projects.get(join(root, name)) ?? '';
    sums[project] = (sums[project] ?? 0) + total;
  }
  return { projects: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Math.round(sum)])) };
}

export function profileTable(rows: readonly Row[]): string {
  const sum = (column: 'wall' | 'worker' | 'started' | 'shared' | 'total'): number =>
    rows.reduce((total, row) => total + row[column], 0);
  const line = (total: number, worker: number, started: number, shared: number, wall: number, name: string): string =>
    `${[total, worker, started, shared, wall].map((value) => value.toFixed(1).padStart(8)).join('')}  ${name}`;
  const jest = processorSeconds('self');
  return [
    'Processor seconds per test file: total, worker, its own processes, its share of shared servers; then wall-clock seconds.',
    `${['total', 'worker', 'started', 'shared', 'wall'].map((title) => title.padStart(8)).join('')}  file`,
    ...rows.map((row) => line(row.total, row.worker, row.started, row.shared, row.wall, row.name)),
    line(sum('total'), sum('worker'), sum('started'), sum('shared'), sum('wall'), 'all files'),
    ...[...servers].map(([name, server]) => line(server.idle, 0, 0, server.idle, 0, `${name} while unused`)),
    line(jest?.own ?? 0, jest?.own ?? 0, 0, 0, 0, 'jest itself'),
  ].join('\n');
}
