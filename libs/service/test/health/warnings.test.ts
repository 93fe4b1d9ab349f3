import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { usageWarning, watchedDisk } from '../../src/health/disk.ts';
import { startInternalHttp } from '../../src/http/internal-http.ts';
import { metricsText } from '../../src/health/metrics.ts';
import { watchReadiness } from '../../src/health/readiness.ts';
import { watchWarnings } from '../../src/health/warnings.ts';

const log = pino({ level: 'silent' });
const stops: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function metric(name: string): Promise<number> {
  const line = (await metricsText()).split('\n').find((text) => text.startsWith(name));
  return Number(line?.split(' ').at(-1));
}

describe('a disk', () => {
  test('has a warning at 80 % or more, and always a metric', async () => {
    expect(usageWarning('a', 79e9, 100e9)).toBeUndefined();
    expect(await metric('esd_disk_used_ratio{disk="a"}')).toBe(0.79);
    expect(usageWarning('a', 80e9, 100e9)).toBe('80 % of 100 GB is used');
    expect(usageWarning('a', 53_700_000, 64_000_000)).toBe('83 % of 0.0640 GB is used');
    expect(usageWarning('nothing', 0, 0)).toBeUndefined();
  });

  test('has the same usage as in df', async () => {
    await watchedDisk('of temporary files', tmpdir()).check();
    const { stdout } = await promisify(execFile)('df', ['--output=pcent', tmpdir()]);
    const ratio = await metric('esd_disk_used_ratio{disk="of temporary files"}');
    // Other processes write there too.
    expect(Math.abs(ratio * 100 - parseInt(stdout.split('\n')[1] ?? '', 10))).toBeLessThan(5);
  });
});

describe('a warning', () => {
  test('is in /ready with status 200 while active; a failed check is not a warning', async () => {
    let used = 90e9;
    const warnings = watchWarnings(
      [
        { name: 'disk', check: () => Promise.resolve(usageWarning('disk', used, 100e9)) },
        watchedDisk('away', '/there/is/no/such/folder'),
      ],
      log,
    );
    const readiness = watchReadiness([], log, undefined, warnings.current);
    const http = await startInternalHttp({ host: '127.0.0.1', port: 0 }, readiness);
    stops.push(warnings.stop, readiness.stop, () => http.drain(0));
    await warnings.check();
    await readiness.check();
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${http.port}/ready`);
      expect(response.headers.get('x-process-id')).toBe(String(process.pid));
      return [response.status, z.object({ warnings: z.array(z.string()) }).parse(await response.json()).warnings];
    };
    expect(await ready()).toEqual([200, ['disk: 90 % of 100 GB is used']]);
    used = 50e9;
    await warnings.check();
    expect(await ready()).toEqual([200, []]);
  });
});
