import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '@esd/dev-stack/root';

const FOLDER = join(root, '.tools', 'prometheus', 'usr', 'bin');

/**
 * Finds a program of Prometheus on PATH or in .tools. If it is missing, prints how to get it and returns undefined, or throws if CI is
 * set.
 */
export function prometheusProgram(name: 'prometheus' | 'promtool', env: NodeJS.ProcessEnv = process.env) {
  const found = [name, join(FOLDER, name)].find((file) => spawnSync(file, ['--version'], { env }).status === 0);
  if (found !== undefined) return found;
  const problem = `${name} is missing. Get it with: apt-get download prometheus && dpkg -x prometheus_*.deb .tools/prometheus`;
  if (env['CI'] !== undefined && env['CI'] !== '') throw new Error(problem);
  console.warn(problem);
  return undefined;
}
