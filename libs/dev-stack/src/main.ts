/** The launcher of `npm start` and `npm run dev`: runs the stack, imports the demo, and stops everything on a signal. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { importDemo } from './demo/import.ts';
import { services } from './service-table.ts';
import { StackError } from './stack-error.ts';
import { startStack, type Stack } from './stack.ts';
import { printNewMails } from './print-mails.ts';
import { restartOnChange } from './restart-on-change.ts';
import { root } from './root.ts';

/** The options from tools/run-stack.mjs, which has validated all except the service names. */
interface Settings {
  port: number;
  host: string;
  dataDir: string;
  empty: boolean;
  replicas: Record<string, number>;
  startedAt: number;
  /** Set by `npm run dev`: the services that restart when their sources change; all if the list is empty. */
  watch?: { services: string[]; inspect: boolean };
}

const FIRST_INSPECTOR_PORT = 9230;

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings; // written by run-stack.mjs, the only caller

// The files of all processes contain secrets, personal data, and unreviewed images.
process.umask(0o077);

const stopping = new AbortController();
const stop = (): void => stopping.abort();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// The pipe to start.mjs closes when that process ends, even by kill -9.
new Socket({ fd: 3 }).on('end', stop).on('error', stop).resume();
// A closed terminal must not crash the launcher, which still has to stop the stack.
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

async function run(): Promise<number> {
  const { port, host, dataDir, empty, replicas, watch } = settings;
  const names = services.map(({ name }) => name);
  for (const name of watch?.services ?? []) {
    if (!names.includes(name)) throw new StackError(`"${name}" is not a service. Choose from ${names.join(', ')}.`);
  }
  const watched = watch && watch.services.length > 0 ? watch.services : names;
  const inspectors = new Map(watch?.inspect ? watched.map((name, index) => [name, FIRST_INSPECTOR_PORT + index]) : []);
  for (const name of Object.keys(replicas)) {
    if (!names.includes(name))
      throw new StackError(`--replicas: "${name}" is not a service. Choose from ${names.join(', ')}.`);
  }
  const { signal } = stopping;
  let stack: Stack | undefined;
  try {
    const env = { ...(watch ? { ESD_RATE_LIMITS: 'off' } : {}), ESD_REVISION: await revision(), ...process.env };
    stack = await startStack({ dataDir, port, host, replicas, inspectors, env, signal, say });
    if (!empty) await importDemo({ url: stack.url, dataDir, signal, say });
    stack.markReady();
    console.log(welcome(stack, dataDir));
    for (const [name, inspectorPort] of inspectors) say(`${name} listens for a debugger on port ${inspectorPort}`);
    const stopPrinting = printNewMails(join(dataDir, 'mail'), say);
    const stopWatching = watch
      ? restartOnChange(stack.supervisor, watched, { checkout: root, signal, say })
      : undefined;
    if (!signal.aborted) await once(signal, 'abort');
    stopPrinting();
    await stopWatching?.();
  } catch (error) {
    // After a signal, any wait throws.
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

/** Returns the Git commit of the checkout; `unknown` without Git. */
async function revision(): Promise<string> {
  try {
    return (await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim();
  } catch {
    return 'unknown';
  }
}

function welcome({ url, addresses }: Stack, dataDir: string): string {
  const gateways = Object.values(addresses).flatMap((byProtocol) => byProtocol['public'] ?? []);
  const admin = join(dataDir, 'admin.json');
  const contributor = join(dataDir, 'contributor.json');
  return `
  Web page         ${url}/
  Dataset          ${gateways.map((gateway) => `${gateway}/public/dataset`).join('\n                   ')}
  Admin            ${existsSync(admin) ? admin : `none yet; create one with POST ${url}/auth/admin/create`}
  Contributor      ${existsSync(contributor) ? contributor : `none yet; create one with POST ${url}/auth/register`}
  Logs and mail    ${dataDir}

  Try              curl '${url}/public/dataset?limit=1'
  Stop             Ctrl-C
`;
}
