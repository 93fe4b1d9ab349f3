/** A launcher that child.test.ts runs and kills: `keeper.ts LOG GRACE COMMAND [ARGUMENT...]`. */
import { Child } from '../src/child.ts';

const [logFile = '', grace = '', command = '', ...args] = process.argv.slice(2);
const child = new Child(
  {
    name: 'worker',
    tier: 'service',
    ports: [],
    command,
    args,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    logFile,
    stopSignal: 'SIGTERM',
    graceSeconds: Number(grace),
    probe: () => Promise.resolve(true),
  },
  () => undefined,
  () => undefined,
);
await child.start(AbortSignal.timeout(120_000));
console.log(child.pid);
