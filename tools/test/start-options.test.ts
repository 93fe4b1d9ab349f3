import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

function start(...args: string[]): { code: number | null; output: string } {
  const script = join(import.meta.dirname, '../start.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status, output: stdout + stderr };
}

test.each([
  [['--prot', '1'], "Unknown option '--prot'. See npm start -- --help."],
  [['here'], "Unexpected argument 'here'. See npm start -- --help."],
  [['--port'], "Option '--port <value>' argument missing. See npm start -- --help."],
  [['--port', '0'], '--port: "0" is not a whole number from 1 to 65535.'],
  [['--port', '8080x'], '--port: "8080x" is not a whole number from 1 to 65535.'],
  [['--host', 'my.machine'], '--host: "my.machine" is not localhost or an IP address, such as 127.0.0.1 or 0.0.0.0.'],
  [['--replicas', 'gateway'], '--replicas: "gateway" is not of the form name=n, for example dataset-svc=2.'],
  [['--replicas', 'gateway=0'], '--replicas gateway: "0" is not a whole number from 1 to 32.'],
  [
    ['--replicas', 'gateway=2', '--port', '65535'],
    '--port: "65535" leaves too few ports for 2 gateways. Choose a lower port.',
  ],
])('npm start -- %j prints one line with the error', (args, message) => {
  expect(start(...args)).toEqual({ code: 1, output: `${message}\n` });
});

test('--help shows every flag', () => {
  const { code, output } = start('--help');
  expect(code).toBe(0);
  for (const flag of ['--port', '--host', '--data-dir', '--empty', '--replicas']) expect(output).toContain(flag);
});
