import { spawnSync } from 'node:child_process';

const { status, error } = spawnSync('../../node_modules/.bin/buf', ['generate'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});
if (error) throw error;
process.exit(status ?? 1);
