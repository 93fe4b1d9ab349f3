import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '@esd/testing/servers';
import { forgeEs256 } from './forge.ts';
import { ADMIN, call, codeOf, connect, environmentOf, newKey } from './identity-service.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const listening = z.object({ msg: z.literal('listening'), grpcPort: z.number(), httpPort: z.number() });

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
  /** Ports of a process that has come up. */
  const ports = async (running: ReturnType<typeof run>) => {
    for await (const line of createInterface({ input: running.stdout })) {
      const told = listening.safeParse(JSON.parse(line));
      if (told.success) return told.data;
    }
    throw new Error('it ended before it listened');
  };
  const readiness = async (httpPort: number): Promise<number> => {
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/ready`, { signal: AbortSignal.timeout(5_000) });
    return status;
  };

  test('migrates as a command, then serves until SIGTERM', async () => {
    const environment = { ESD_DATABASE_URL: database.url };
    await expect(exitCode(run(environment, 'migrate'))).resolves.toBe(0);
    const running = run(environment);
    const { grpcPort, httpPort } = await ports(running);
    await expect(readiness(httpPort)).resolves.toBe(200);
    const client = connect(grpcPort);
    await client.createFirstAdmin(ADMIN, call());
    await expect(codeOf(client.login({ ...ADMIN, rememberMe: false }, call()))).resolves.toBe('OK');
    client.channel.close();
    running.kill('SIGTERM');
    await expect(exitCode(running)).resolves.toBe(0);
  });

  test('without its database is not ready and answers UNAVAILABLE', async () => {
    const running = run({ ESD_DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none' });
    const { grpcPort, httpPort } = await ports(running);
    await expect(readiness(httpPort)).resolves.toBe(503);
    const client = connect(grpcPort);
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

  test('names a setting that is wrong, without its value', async () => {
    const running = run({ ESD_DATABASE_URL: database.url, ESD_SESSION_PRIVATE_KEYS: '{"keys":["secret"]}' });
    let told = '';
    running.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    await expect(exitCode(running)).resolves.toBe(1);
    expect(told).toContain('ESD_SESSION_PRIVATE_KEYS');
    expect(told).not.toContain('secret');
  });
});
