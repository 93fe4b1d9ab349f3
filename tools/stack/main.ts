/** The launcher under `npm start`: runs the stack, imports the demo, and stops all in order when it is told to. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { importDemo } from '../demo-import.ts';
import { services } from './service-table.ts';
import { StackError } from './stack-error.ts';
import { startStack, type Stack } from './stack.ts';
import { tellMails } from './tell-mails.ts';

/** What `start.mjs` passes on; it has checked all but the names of services. */
interface Settings {
  port: number;
  host: string;
  dataDir: string;
  empty: boolean;
  replicas: Record<string, number>;
  startedAt: number;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings; // written by start.mjs, the only caller

const stopping = new AbortController();
const stop = (): void => stopping.abort();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// The pipe to start.mjs ends when that process is gone, even by kill -9.
new Socket({ fd: 3 }).on('end', stop).on('error', stop).resume();
// A terminal that is gone must not end the stack in disorder.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const say = (line: string): void => {
  console.log(`${((Date.now() - settings.startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);
};

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();

/** Runs until it is told to stop, and returns the exit code. */
async function run(): Promise<number> {
  const { port, host, dataDir, empty, replicas } = settings;
  const names = services.map(({ name }) => name);
  for (const name of Object.keys(replicas)) {
    if (!names.includes(name)) throw new StackError(`--replicas: there is no ${name}; there are ${names.join(', ')}.`);
  }
  const { signal } = stopping;
  let stack: Stack | undefined;
  try {
    stack = await startStack({ dataDir, port, host, replicas, env: process.env, signal, say });
    if (!empty) await importDemo({ url: stack.url, dataDir, signal, say });
    stack.markReady();
    console.log(welcome(stack, dataDir));
    const stopTelling = tellMails(join(dataDir, 'mail'), say);
    if (!signal.aborted) await once(signal, 'abort');
    stopTelling();
  } catch (error) {
    // Whatever a wait that was cut short throws.
    if (!signal.aborted) throw error;
  } finally {
    if (stack !== undefined) {
      say('stopping');
      await stack.stop();
    }
  }
  say('stopped');
  return 0;
}

function welcome({ url, addresses }: Stack, dataDir: string): string {
  const gateways = Object.values(addresses).flatMap((doors) => doors['public'] ?? []);
  const admin = join(dataDir, 'admin.json');
  const contributor = join(dataDir, 'contributor.json');
  return `
  The dataset      ${gateways.map((gateway) => `${gateway}/public/dataset`).join('\n                   ')}
  The admin        ${existsSync(admin) ? admin : `none yet: POST ${url}/auth/admin/create`}
  A contributor    ${existsSync(contributor) ? contributor : `none yet: POST ${url}/auth/register`}
  Logs, mail       ${dataDir}

  Try              curl '${url}/public/dataset?limit=1'
  Stop             Ctrl-C
`;
}
