import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { Secrets } from '@esd/dev-stack/secrets';
import { publicSetOf } from '@esd/dev-stack/signing-key';
import { envKeyStore, localKeyStore } from '../admin/key-store.ts';
import { keysReport, rotate } from '../admin/keys.ts';
import { completeEnvFile, readEnvFile } from '../deploy/env-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'esd-keys-'));
afterAll(() => rm(folder, { recursive: true }));

const keySet = z.object({ keys: z.array(z.object({ kid: z.string(), iat: z.int().optional() })) });
const kids = (set = ''): string[] => keySet.parse(JSON.parse(set)).keys.map(({ kid }) => kid);

// The clock went back after the creation of the old key.
const LATER_IAT = '"iat":4102444800';
const LATER = String.raw`Created: 2100-01-01T00:00:00.000Z\n`;

describe('keys rotate', () => {
  test('adds, promotes and removes a key of a service in .env, also if the clock goes back; the public keys follow', async () => {
    const file = join(folder, '.env');
    await writeFile(file, completeEnvFile('# ours\nESD_PORT=9000\n'));
    const step = async (yes: boolean): Promise<string> => {
      const { lines, code } = await rotate(envKeyStore(file), 'service:gateway', yes, undefined);
      expect(code).toBe(yes ? 0 : 1);
      return lines.join('\n');
    };
    const values = async () => readEnvFile(await readFile(file, 'utf8'));
    const ours = async () => kids((await values()).get('ESD_SERVICE_PRIVATE_KEYS_GATEWAY'));
    const [old = ''] = await ours();
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/"iat":\d+/g, LATER_IAT));

    expect(await step(false)).toMatch(/^1 of 3, add: .*\nRestart all services.*\n.*\nNothing is changed\. Repeat/);
    expect(await ours()).toEqual([old]);
    const shown = await step(true);
    const [first, added = ''] = await ours();
    expect([first, added]).toEqual([old, expect.stringMatching(/^gateway:/)]);
    expect(shown).not.toContain(added);
    expect(kids((await values()).get('ESD_PEER_PUBLIC_KEYS'))).toEqual(expect.arrayContaining([old, added]));

    expect(await step(true)).toMatch(/^2 of 3, promote: .*\nRestart gateway\./);
    expect(await ours()).toEqual([added, old]);
    expect(await step(true)).toMatch(/^3 of 3, remove: /);
    expect(await ours()).toEqual([added]);
    expect(kids((await values()).get('ESD_PEER_PUBLIC_KEYS'))).toEqual(expect.not.arrayContaining([old]));
    expect(await readFile(file, 'utf8')).toMatch(/^# ours\nESD_PORT=9000\n/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('rotates the keys of a local stack, which its next start uses', async () => {
    const session = () => new Secrets(folder).signingKey('session-key');
    const [old = ''] = kids(session().publicSet);
    const [created] = keySet.parse(JSON.parse(session().publicSet)).keys;
    expect((created?.iat ?? 0) * 1000).toBeGreaterThan(Date.now() - 60_000);
    const file = join(folder, 'secrets.json');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/Created: \S+\\n/g, LATER));
    const steps: string[][] = [];
    for (let taken = 0; taken < 3; taken++) {
      await rotate(localKeyStore(folder), 'session', true, undefined);
      steps.push(kids(session().privateSet));
    }
    const added = steps[0]?.[1];
    expect(added).not.toBe(old);
    expect(steps).toEqual([[old, added], [added, old], [added]]);
    expect(session().publicSet).toBe(publicSetOf(session().privateSet));
  });

  test('two keys without an order are in no step', async () => {
    const file = join(folder, 'ambiguous.env');
    const text = completeEnvFile('');
    const [key = ''] = /(?<=ASSERTION_PRIVATE_KEYS='\{"keys":\[).*?\}/.exec(text) ?? [];
    await writeFile(file, text.replace(key, `${key},${key},${key}`));
    await expect(rotate(envKeyStore(file), 'assertion', true, undefined)).rejects.toThrow('A key set with 3 keys');
  });

  test('changes a password after PostgreSQL has it', async () => {
    const file = join(folder, 'password.env');
    await writeFile(file, completeEnvFile(''));
    const stored = async () => readEnvFile(await readFile(file, 'utf8')).get('ESD_DATABASE_PASSWORD_DATASET');
    const before = await stored();
    const failing = () => Promise.reject(new Error('PostgreSQL is away'));
    await expect(rotate(envKeyStore(file), 'password:dataset-svc', true, failing)).rejects.toThrow('is away');
    expect(await stored()).toBe(before);
    const altered: string[] = [];
    const { lines } = await rotate(envKeyStore(file), 'password:dataset-svc', true, async (role, password) => {
      altered.push(role, password);
    });
    expect(altered).toEqual(['esd_dataset', await stored()]);
    expect(altered[1]).not.toBe(before);
    expect(lines.join('\n')).not.toContain(altered[1]);
  });

  test('keys lists ages and next steps', async () => {
    const file = join(folder, 'listed.env');
    await writeFile(file, completeEnvFile(''));
    const { lines } = keysReport(envKeyStore(file));
    expect(lines.join('\n')).toMatch(/^session +\d s +add$/m);
  });
});
