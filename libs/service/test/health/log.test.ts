import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('a line appears without a later one, also if the reader was slow', async () => {
  // The first line fills the pipe. The time for the second line passes while the first one is being written.
  const program = `
    import { createLog } from './src/health/log.ts';
    const log = createLog('test', 'info');
    log.info('x'.repeat(900_000));
    setImmediate(() => {
      log.info('last');
      setTimeout(() => console.error('due'), 250);
    });
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await once(child.stderr, 'data');
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text += String(chunk);
      if (text.endsWith('\n') && text.includes('"last"')) break;
    }
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  } finally {
    child.kill();
  }
});
