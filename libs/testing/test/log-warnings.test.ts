import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { logWarnings } from '../src/log-warnings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-logs-'));
});
afterEach(() => rm(folder, { recursive: true }));

const line = (level: number, msg: string): string => JSON.stringify({ level, service: 'identity-svc', msg });

test('returns the last warnings and errors of logs of every format, up to a limit', async () => {
  const many = Array.from({ length: 20 }, (_, index) => line(40, `unavailable ${index}`));
  const service = [line(30, 'an error in a word only'), ...many, line(60, `no port ${'x'.repeat(5_000)}`)];
  await writeFile(join(folder, 'identity-svc.log'), service.join('\n'));
  await writeFile(join(folder, 'postgres.log'), '2026-01-01 LOG:  ready\n2026-01-01 FATAL:  too many connections\n');
  await writeFile(join(folder, 'nats.log'), '[1] [INF] ready\n[1] [ERR] no room\n');
  await writeFile(join(folder, 'object-store.log'), 'I0101 10:00:00 started\nE0101 10:00:01 no volume\n');
  await writeFile(join(folder, 'media-svc.log'), "node:internal/modules\nError: Cannot find module 'sharp'\n");
  await writeFile(join(folder, 'gateway.log'), line(30, 'started'));
  const report = await logWarnings(folder);
  expect(report.split('\n').filter((one) => !one.startsWith('    '))).toEqual([
    'identity-svc.log:',
    'media-svc.log:',
    'nats.log:',
    'object-store.log:',
    'postgres.log:',
  ]);
  for (const word of ['no port', 'unavailable 19', 'too many connections', 'no room', 'no volume', 'Cannot find']) {
    expect(report).toContain(word);
  }
  for (const word of ['unavailable 12', 'an error in a word', 'INF', 'LOG:', 'started'])
    expect(report).not.toContain(word);
  expect(report.length).toBeLessThan(3_000);
});

test('reports that there are no warnings or no logs', async () => {
  await writeFile(join(folder, 'gateway.log'), line(30, 'started'));
  expect(await logWarnings(folder)).toBe('No warnings or errors in the logs (gateway.log).');
  expect(await logWarnings(join(folder, 'none'))).toBe('No warnings or errors in the logs ().');
});
