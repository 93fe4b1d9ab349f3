import { readFileSync } from 'node:fs';
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

/** Returns a table of the processor seconds of each test file: its worker, its own processes, and its share of shared servers. */
export function profileTable(profileFile: string, seconds: ReadonlyMap<string, number>, root: string): string {
  for (const server of servers.values()) server.close();
  const profiles = readFileSync(profileFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FileProfile); // written by profile-environment.ts
  const rows = profiles
    .map(({ path, worker, started }) => {
      const shared = [...servers.values()].reduce((sum, { byFile }) => sum + (byFile.get(path) ?? 0), 0);
      const name = path.slice(root.length + 1);
      return { name, wall: seconds.get(path) ?? 0, worker, started, shared, total: worker + started + shared };
    })
    .sort((a, b) => b.total - a.total);
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
