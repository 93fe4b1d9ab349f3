/** `npm run test:deploy [-- jest arguments]`: runs the tests that need a Docker engine with compose. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const docker = (...args) => spawnSync('docker', args, { encoding: 'utf8', timeout: 60_000 });
const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const missing = !works('docker', 'info')
  ? 'These tests need a Docker engine, but `docker info` fails. Start Docker.'
  : !works('docker', 'compose', 'version') && !works('docker-compose', 'version')
    ? 'These tests need compose, but neither `docker compose` nor `docker-compose` works. Install the compose plugin.'
    : undefined;

// Named tests may not need an engine.
if (missing !== undefined && process.argv.length === 2) {
  console.error(missing);
  process.exitCode = 1;
} else {
  // Containers, volumes, networks and folders of the tests have this prefix.
  const prefix = `esd-test-${process.pid}-`;
  process.env.ESD_TEST_PREFIX = prefix;
  // Not every machine can pull the image of Testcontainers' reaper. The tests delete their containers themselves.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
  // In sequence, because each file starts a whole system.
  process.argv.push('--runInBand', '--selectProjects', 'deploy');
  try {
    await import('./test.mjs');
  } finally {
    if (missing === undefined) removeLeftovers(prefix);
  }
}

/** Deletes what interrupted tests left behind. */
function removeLeftovers(prefix) {
  for (const [list, remove] of [
    [
      ['ps', '--all', '--format', '{{.Names}}'],
      ['rm', '--force', '--volumes'],
    ],
    [
      ['volume', 'ls', '--format', '{{.Name}}'],
      ['volume', 'rm', '--force'],
    ],
    [
      ['network', 'ls', '--format', '{{.Name}}'],
      ['network', 'rm'],
    ],
  ]) {
    const names = docker(...list)
      .stdout.split('\n')
      .filter((name) => name.startsWith(prefix));
    if (names.length > 0) docker(...remove, ...names);
  }
  for (const name of readdirSync(tmpdir())) {
    if (name.startsWith(prefix)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
