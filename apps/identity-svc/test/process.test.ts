import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import { forgeEs256 } from './forge.ts';
import { ADMIN, call, codeOf, connect, environmentOf, newKey } from './identity-service.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const port = z.object({
  msg: z.literal('listening'),
  grpcPort: z.number().optional(),
  httpPort: z.number().optional(),
});

describe('the process', () => {
  const sessionKey = newKey();
  let database: TestDatabase;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    database = await createDatabase('identity');
  });
  afterEach(() => {
    child?.kill('SIGKILL');
  });
  afterAll(() => database.drop());

  const run = (environment: Record<string, string>, ...args: string[]) => {
    const running = spawn(process.execPath, [MAIN, ...args], {
      env: { ...environmentOf([sessionKey], newKey()), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = running;
    return running;
  };
  const exitCode = async (running: ChildProcess): Promise<unknown> => {
    const exit: unknown[] = await once(running, 'exit');
    const [code] = exit;
    return code;
  };
  /** Returns the ports that a starting process logs. The gRPC port is logged once the process is ready. */
  const portsOf = (running: ReturnType<typeof run>) => {
    const { promise: grpc, resolve: resolveGrpc } = Promise.withResolvers<number>();
    const { promise: http, resolve: resolveHttp } = Promise.withResolvers<number>();
    createInterface({ input: running.stdout }).on('line', (line) => {
      const { grpcPort, httpPort } = port.safeParse(JSON.parse(line)).data ?? {};
      if (grpcPort !== undefined) resolveGrpc(grpcPort);
      if (httpPort !== undefined) resolveHttp(httpPort);
    });
    return { grpc, http };
  };
  const readiness = async (httpPort: number): Promise<number> => {
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/ready`, { signal: AbortSignal.timeout(60_000) });
    return status;
  };

  test('migrates as a command, then serves until SIGTERM', async () => {
    const environment = { ESD_DATABASE_URL: database.url };
    await expect(exitCode(run(environment, 'migrate'))).resolves.toBe(0);
    const running = run(environment);
    const ports = portsOf(running);
    const client = connect(await ports.grpc);
    await expect(readiness(await ports.http)).resolves.toBe(200);
    await client.createFirstAdmin(ADMIN, call());
    await expect(codeOf(client.login({ ...ADMIN, rememberMe: false }, call()))).resolves.toBe('OK');
    client.channel.close();
    running.kill('SIGTERM');
    await expect(exitCode(running)).resolves.toBe(0);
  });

  test('is not ready and does not listen on gRPC without its database', async () => {
    const running = run({ ESD_DATABASE_URL: 'postgres://unknown:none@127.0.0.1:1/none' });
    const ports = portsOf(running);
    await expect(readiness(await ports.http)).resolves.toBe(503);
    // The output is complete only once it is closed.
    const closed = once(running, 'close');
    running.kill('SIGTERM');
    await closed;
    await expect(Promise.race([ports.grpc, Promise.resolve('none')])).resolves.toBe('none');
  });

  test('returns UNAVAILABLE after it has lost its database', async () => {
    const proxy = await proxyTo(database.url);
    const client = connect(await portsOf(run({ ESD_DATABASE_URL: proxy.url })).grpc);
    proxy.close();
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: 'esd-identity',
      aud: 'esd-api',
      sub: randomUUID(),
      sid: randomUUID(),
      iat: now,
      exp: now + 60,
    };
    const calls = {
      resolveBearer: client.resolveBearer({ bearer: forgeEs256(claims, sessionKey) }, call()),
      createFirstAdmin: client.createFirstAdmin(ADMIN, call()),
      login: client.login({ ...ADMIN, rememberMe: false }, call()),
      refresh: client.refresh({ refreshToken: 'x'.repeat(43) }, call()),
    };
    for (const [name, answer] of Object.entries(calls)) {
      await expect(codeOf(answer).then((code) => `${name}: ${code}`)).resolves.toBe(`${name}: UNAVAILABLE`);
    }
    client.channel.close();
  });

  test('names an invalid setting, without its value', async () => {
    const running = run({ ESD_DATABASE_URL: database.url, ESD_SESSION_PRIVATE_KEYS: '{"keys":["a-hidden-value"]}' });
    let output = '';
    running.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await expect(exitCode(running)).resolves.toBe(1);
    expect(output).toContain('ESD_SESSION_PRIVATE_KEYS');
    expect(output).not.toContain('a-hidden-value');
  });
});

/** Starts a TCP proxy to a server. The proxy can be closed. */
async function proxyTo(target: string): Promise<{ url: string; close: () => void }> {
  const url = new URL(target);
  const there = { port: Number(url.port), host: url.hostname };
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(there);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: near } = server.address() as AddressInfo;
  url.host = `127.0.0.1:${near}`;
  return {
    url: url.href,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
