/** `npm run test:deploy [-- jest arguments]`: the tests that need a Docker engine with compose. */
import { spawnSync } from 'node:child_process';

const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const missing = !works('docker', 'info')
  ? 'There is no Docker engine to test with: `docker info` fails.'
  : !works('docker', 'compose', 'version') && !works('docker-compose', 'version')
    ? 'There is no compose to test with: neither `docker compose` nor `docker-compose`.'
    : undefined;

// Tests that are named may be those of the manifests, which need no engine.
if (missing !== undefined && process.argv.length === 2) {
  console.error(missing);
  process.exitCode = 1;
} else {
  // One after the other: each brings up a whole system.
  process.argv.push('--runInBand', '--selectProjects', 'deploy');
  await import('./test.mjs');
}
