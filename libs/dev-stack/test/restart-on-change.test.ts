import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restartOnChange } from '../src/restart-on-change.ts';
import { Supervisor } from '../src/supervisor.ts';

const SERVICES = ['first-svc', 'second-svc'] as const;
// Writes the id outside the watched folder, so that a late write is not a change.
const RUNS_ON = `
  require('node:fs').writeFileSync(__dirname + '.pid', String(process.pid));
  setInterval(() => {}, 1000);`;

let checkout: string;
let supervisor: Supervisor;
let stopWatching: () => Promise<void>;
let lines: string[];
let onLine: (() => void) | undefined;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'esd-watch-'));
  lines = [];
  const say = (line: string): void => {
    lines.push(line);
    onLine?.();
  };
  const { signal } = new AbortController();
  supervisor = new Supervisor(signal, say, () => undefined);
  await mkdir(join(checkout, 'libs', 'shared', 'src'), { recursive: true });
  for (const name of SERVICES) {
    const folder = join(checkout, 'apps', name, 'src');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'main.cjs'), RUNS_ON);
    await supervisor.start({
      name,
      tier: 'service',
      ports: [],
      command: process.execPath,
      args: [join(folder, 'main.cjs')],
      cwd: checkout,
      env: { PATH: process.env['PATH'] },
      logFile: join(checkout, `${name}.log`),
      stopSignal: 'SIGTERM',
      graceSeconds: 5,
      probe: () => isRunning(`${folder}.pid`),
    });
  }
  stopWatching = restartOnChange(supervisor, SERVICES, { checkout, signal, say });
});
afterEach(async () => {
  await stopWatching();
  await supervisor.stop();
  await rm(checkout, { recursive: true });
});

async function isRunning(pidFile: string): Promise<boolean> {
  try {
    const pid = await readFile(pidFile, 'utf8');
    // The file is empty until the process has written to it. The signal 0 to the process 0 always succeeds.
    return pid !== '' && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

async function untilPrinted(text: string, times: number): Promise<void> {
  while (lines.filter((line) => line.includes(text)).length < times) {
    await new Promise<void>((resolve) => (onLine = resolve));
  }
}

test('a change in a service restarts only that service', async () => {
  const [first, second] = SERVICES.map((name) => supervisor.child(name).pid);
  await writeFile(join(checkout, 'apps', 'first-svc', 'src', 'main.cjs'), `${RUNS_ON}\n`);
  await untilPrinted('first-svc restarted', 1);
  expect(supervisor.child('first-svc').pid).not.toBe(first);
  expect(supervisor.child('second-svc').pid).toBe(second);
});

test('a change in a library restarts every watched service', async () => {
  const before = SERVICES.map((name) => supervisor.child(name).pid);
  await writeFile(join(checkout, 'libs', 'shared', 'src', 'new.cjs'), '');
  await untilPrinted('restarted', 2);
  SERVICES.forEach((name, index) => expect(supervisor.child(name).pid).not.toBe(before[index]));
});

test('a service that cannot start reports the error and restarts after the next change', async () => {
  const main = join(checkout, 'apps', 'first-svc', 'src', 'main.cjs');
  await writeFile(main, 'not a program');
  await untilPrinted('does not start', 1);
  await writeFile(main, RUNS_ON);
  await untilPrinted('first-svc restarted', 1);
  expect(supervisor.child('first-svc').pid).toBeDefined();
});
