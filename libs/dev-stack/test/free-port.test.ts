import { afterEach, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type ReservedPort, reserveFreePort, reservePort, portError } from '../src/free-port.ts';

let reserved: ReservedPort[] = [];
afterEach(async () => {
  await Promise.all(reserved.splice(0).map(({ free }) => free()));
});

async function reserve(): Promise<ReservedPort> {
  const one = await reserveFreePort();
  reserved.push(one);
  return one;
}

function othersGet(port: number): boolean {
  const script = `import { reservePort } from ${JSON.stringify(new URL('../src/free-port.ts', import.meta.url).href)};
    await reservePort(${port}).then(() => process.exit(0), () => process.exit(7));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (status !== 0 && status !== 7) throw new Error(stderr);
  return status === 0;
}

test('a port stays reserved while its process starts and afterwards', async () => {
  const { port, release, free } = await reserve();
  expect(othersGet(port)).toBe(false);
  await release();
  expect(await portError(port, '127.0.0.1')).toBeUndefined();
  expect(othersGet(port)).toBe(false);
  await expect(reservePort(port)).rejects.toThrow('EADDRINUSE');
  await free();
  reserved = [];
  expect(othersGet(port)).toBe(true);
});

test('a port on which a process already listens cannot be reserved', async () => {
  const { port, free } = await reserve();
  await free();
  reserved = [];
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  try {
    await expect(reservePort(port)).rejects.toThrow('EADDRINUSE');
  } finally {
    server.close();
  }
  reserved.push(await reservePort(port));
});

test('a client that connects before the process listens is disconnected and does not block the port', async () => {
  const { port, release } = await reserve();
  const early = connect(port, '127.0.0.1').resume();
  await once(early, 'close');
  const late = connect(port, '127.0.0.1').resume();
  await once(late, 'connect');
  await release();
  expect(await portError(port, '127.0.0.1')).toBeUndefined();
});
