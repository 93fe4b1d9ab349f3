import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { flatten, flattenedColumns } from '@esd/record/flatten/flatten';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { reserveFreePort } from '@esd/dev-stack/free-port';

const run = promisify(execFile);
const requirements = join(import.meta.dirname, 'requirements.txt');
const packages = join(import.meta.dirname, '..', '.tools', 'bench-py');

/** Path of a page of 100 records as JSON, with the total count. */
export const DATASETTE_PAGE = '/datasette/record.json?_size=100&_shape=objects';

export interface Datasette {
  url: string;
  stop(): Promise<void>;
}

/** Installs Datasette once and starts it with its database in `folder`. Returns a message if it cannot be installed or started. */
export async function startDatasette(records: readonly ExperimentData[], folder: string): Promise<Datasette | string> {
  try {
    await install();
  } catch (error) {
    return `not installed: ${String(error).split('\n')[0] ?? ''}`;
  }
  const file = join(folder, 'datasette.db');
  writeDatabase(file, records);
  const reserved = await reserveFreePort();
  await reserved.release();
  // The fastest settings: an immutable file is counted once, and only the page is computed.
  const fast = ['--immutable', file, '--setting', 'suggest_facets', 'off'];
  const child = spawn('python3', ['-m', 'datasette', 'serve', ...fast, '--port', String(reserved.port)], {
    env: { ...process.env, PYTHONPATH: packages },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${reserved.port}`;
  for (const until = Date.now() + 30_000; !(await answers(url + DATASETTE_PAGE)); await sleep(100)) {
    if (child.exitCode !== null || Date.now() > until) return 'did not start';
  }
  return {
    url,
    stop: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function install(): Promise<void> {
  const stamp = join(packages, 'stamp');
  const wanted = await readFile(requirements, 'utf8');
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
  await rm(packages, { recursive: true, force: true });
  const options = [
    '--no-deps',
    '--require-hashes',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--no-warn-script-location',
    '-q',
  ];
  await run('python3', ['-m', 'pip', 'install', '--target', packages, ...options, '-r', requirements], {
    env: { ...process.env, PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0' },
    timeout: 300_000,
  });
  await writeFile(stamp, wanted);
}

function writeDatabase(file: string, records: readonly ExperimentData[]): void {
  const database = new DatabaseSync(file);
  const columns = flattenedColumns.map((name) => `"${name}"${name === 'experiment_id' ? ' integer primary key' : ''}`);
  database.exec(`create table record (${columns.join(', ')}); begin`);
  const insert = database.prepare(`insert into record values (${flattenedColumns.map(() => '?').join(', ')})`);
  records.forEach((data, index) => {
    const row = flatten(index + 1, data);
    insert.run(
      ...flattenedColumns.map((column) => {
        const cell = row[column];
        return typeof cell === 'boolean' ? Number(cell) : (cell ?? null);
      }),
    );
  });
  database.exec('commit');
  database.close();
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
