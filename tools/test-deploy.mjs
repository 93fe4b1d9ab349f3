/** `npm run test:deploy [-- jest arguments]`: the tests that need a Docker engine with compose. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const docker = (...args) => spawnSync('docker', args, { encoding: 'utf8', timeout: 60_000 });
const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const missing = !works('docker', 'info')
  ? 'There is no Docker engine to test with: `docker info` fails.'
  : !works('docker', 'compose', 'version') && !works('docker-compose', 'version')
    ? 'There is no compose to test with: neither `docker compose` nor `docker-compose`.'
    : undefined;

// Tests that are named may be those that need no engine.
if (missing !== undefined && process.argv.length === 2) {
  console.error(missing);
  process.exitCode = 1;
} else {
  // The names of all that the tests make begin with it.
  const prefix = `esd-test-${process.pid}-`;
  process.env.ESD_TEST_PREFIX = prefix;
  // Its reaper is a container of another image, which not every machine can pull; the tests remove what they start.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
  // One file after the other: each brings up a whole system.
  process.argv.push('--runInBand', '--selectProjects', 'deploy');
  try {
    await import('./test.mjs');
  } finally {
    if (missing === undefined) removeLeftovers(prefix);
  }
}

/** Tests that were interrupted leave what they made. */
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
