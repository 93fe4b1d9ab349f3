import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

export const THIS_PROCESS = { version, host: hostname(), startedAt: new Date(performance.timeOrigin) } as const;
