import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importDemo } from '@esd/dev-stack/demo/import';
import { type ReservedPort, reserveFreePort, reservePort, portError } from '@esd/dev-stack/free-port';
import { withPostgres } from '@esd/dev-stack/postgres';
import { runningProcesses } from '@esd/dev-stack/processes';
import { services } from '@esd/dev-stack/service-table';
import { type Stack, startStack as startProcesses } from '@esd/dev-stack/stack';
import { recordedProcesses } from '@esd/dev-stack/stack-file';
import { CHEAP_PASSWORDS } from './cheap-passwords.ts';
import { eventually } from './eventually.ts';
import { logWarnings } from './log-warnings.ts';

export interface TestStackOptions {
  empty?: boolean;
  /** Number of replicas by service name; the default is 1. */
  replicas?: Record<string, number>;
  /** Settings of the processes. By default there are no rate limits and no limits of anonymous submissions and feedback. */
  env?: NodeJS.ProcessEnv;
  /** Address that the gateway listens on. With ::1, the other services are on ::1, too. */
  host?: string;
  checkout?: string;
}

/** The data about a running stack, serializable as JSON. */
export interface StackFacts {
  url: string;
  dataDir: string;
  /** The addresses of every process by name, then by protocol: public, http, grpc. */
  addresses: Record<string, Record<string, string>>;
  adminUrl: string;
  databaseUrls: Record<string, string>;
  natsUrl: string;
  natsUsers: Record<string, { user: string; password: string }>;
  environments: Record<string, NodeJS.ProcessEnv>;
}

/** Operations that only the process with the supervisor can run. */
export interface StackControl {
  /** Kills a process with SIGKILL. It stays down until `start`. */
  kill(name: string): Promise<void>;
  /** Starts a stopped process on the same ports with the same data, and waits until it is ready. */
  start(name: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** Stops every process and deletes the folder. For a leased stack, ends the lease instead. */
  stop(): Promise<void>;
}

/** The whole system as separate processes, in a temporary folder. Process names are those of stack.json. */
export interface TestStack extends Omit<StackFacts, 'databaseUrls' | 'natsUrl' | 'natsUsers' | 'environments'> {
  environment(name: string): NodeJS.ProcessEnv;
  /** Returns the process id, or undefined while the process is down. */
  pid(name: string): number | undefined;
  /** Sends a signal. If the process exits, the supervisor restarts it. */
  signal(name: string, signal: NodeJS.Signals): void;
  kill: StackControl['kill'];
  start: StackControl['start'];
  restart: StackControl['restart'];
  /** Sends SIGSTOP to the process and its children. */
  pause(name: string): Promise<void>;
  resume(name: string): Promise<void>;
  databaseUrl(database: string): string;
  nats: { url: string; user(service: string): { user: string; password: string } };
  stop: StackControl['stop'];
}

const startMs = 200_000;

/** Starts a system for tests and waits until it is ready and, unless `empty`, has the demo dataset. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  const { facts, control } = await startSupervised(options);
  return testStack(facts, control);
}

/**
 * Starts a stack as `startStack` does. Returns serializable facts, and operations for this process. If the start fails, the error contains
 * the warnings and errors of the logs.
 */
export async function startSupervised(
  options: TestStackOptions,
): Promise<{ facts: StackFacts; control: StackControl & { restore(): Promise<void>; pids(): number[] } }> {
  const { empty = false, replicas = {}, env = {}, host = '127.0.0.1', checkout } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'esd-test-'));
  const signal = AbortSignal.timeout(startMs);
  const ports = await reserveGatewayPorts(replicas['gateway'] ?? 1);
  let stack: Stack | undefined;
  const end = async (): Promise<void> => {
    if (stack !== undefined) {
      const { supervisor } = stack;
      // Only PostgreSQL needs a graceful stop; otherwise it leaves shared memory behind.
      const others = Object.keys(supervisor.processes()).filter((name) => name !== 'postgres');
      await Promise.all(others.map((name) => supervisor.child(name).kill()));
      await stack.stop();
    }
    await Promise.all(ports.map((reserved) => reserved.free()));
    await rm(dataDir, { recursive: true, force: true });
  };
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => (ended ??= end());
  try {
    stack = await startProcesses({
      dataDir,
      port: known(ports[0], 'port').port,
      host,
      replicas,
      env: {
        ...process.env,
        ESD_RATE_LIMITS: 'off',
        // On a busy machine, a request can wait long for its turn.
        ESD_UPSTREAM_WAIT_MS: '2000',
        ESD_ANONYMOUS_PENDING: '1000000',
        ESD_FEEDBACK_DAILY: '1000000',
        ...CHEAP_PASSWORDS,
        ...env,
      },
      checkout,
      durable: false,
      signal,
      say: () => undefined,
    });
    await untilConnected(stack, signal);
    if (!empty) await importDemo({ url: stack.url, dataDir, signal, say: () => undefined });
  } catch (error) {
    const warnings = await logWarnings(join(dataDir, 'logs'));
    await stop();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${warnings}`, { cause: error });
  }
  const { url, addresses, supervisor, servers } = stack;
  const child = (name: string) => supervisor.child(name);
  const start = (name: string): Promise<void> => child(name).start(AbortSignal.timeout(startMs));
  return {
    facts: {
      url,
      dataDir,
      addresses,
      adminUrl: servers.adminUrl,
      databaseUrls: Object.fromEntries(servers.databaseUrls),
      natsUrl: servers.natsUrl,
      natsUsers: Object.fromEntries(services.map(({ name }) => [name, servers.natsUser(name)])),
      environments: Object.fromEntries(Object.keys(addresses).map((name) => [name, { ...child(name).spec.env }])),
    },
    control: {
      kill: (name) => child(name).kill(),
      start,
      restart: async (name) => {
        await child(name).stop();
        await start(name);
      },
      stop,
      pids: () => Object.values(supervisor.processes()),
      restore: async () => {
        const running = supervisor.processes();
        for (const pid of await processTrees(Object.values(running))) signalIfRunning(pid, 'SIGCONT');
        const missing = Object.keys(addresses).filter((name) => running[name] === undefined);
        await Promise.all(missing.map(start));
        await Promise.all([...servers.databaseUrls.values()].map(untilPublished));
      },
    },
  };
}

/** Returns the stack with these facts. The supervisor runs in this process or, through `control`, in another one. */
export function testStack(facts: StackFacts, control: StackControl): TestStack {
  const { url, dataDir, addresses, adminUrl, databaseUrls, natsUrl, natsUsers, environments } = facts;
  const paused = new Map<string, number[]>();
  const resume = (name: string): void => {
    for (const pid of paused.get(name) ?? []) signalIfRunning(pid, 'SIGCONT');
    paused.delete(name);
  };
  const pid = (name: string): number | undefined =>
    recordedProcesses(dataDir).find((process) => process.name === name)?.pid;
  const running = (name: string): number => known(pid(name), `running process ${name}`);
  return {
    url,
    dataDir,
    addresses,
    adminUrl,
    environment: (name) => ({ ...known(environments[name], `process ${name}`) }),
    pid,
    signal: (name, signal) => process.kill(running(name), signal),
    kill: async (name) => {
      await control.kill(name);
      resume(name);
    },
    start: (name) => control.start(name),
    restart: async (name) => {
      resume(name);
      await control.restart(name);
    },
    pause: async (name) => {
      const tree = await processTrees([running(name)]);
      for (const id of tree) signalIfRunning(id, 'SIGSTOP');
      paused.set(name, tree);
    },
    resume: async (name) => resume(name),
    databaseUrl: (database) => known(databaseUrls[database], `database ${database}`),
    nats: { url: natsUrl, user: (service) => known(natsUsers[service], `NATS user ${service}`) },
    stop: async () => {
      for (const name of paused.keys()) resume(name);
      await control.stop();
    },
  };
}

function known<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} does not exist`);
  return value;
}

async function processTrees(roots: readonly number[]): Promise<number[]> {
  const all = [...(await runningProcesses()).values()];
  return [...roots, ...all.filter(({ parent }) => roots.includes(parent)).map(({ pid }) => pid)];
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** Reserves `count` consecutive ports that are free on all interfaces, because `localhost` can be IPv4 or IPv6. */
async function reserveGatewayPorts(count: number): Promise<ReservedPort[]> {
  for (;;) {
    const reserved = [await reserveFreePort()];
    try {
      while (reserved.length < count)
        reserved.push(await reservePort(known(reserved[0], 'port').port + reserved.length));
      await Promise.all(reserved.map(({ release }) => release()));
      const errors = await Promise.all(reserved.map(({ port }) => portError(port)));
      if (errors.every((error) => error === undefined)) return reserved;
    } catch {}
    await Promise.all(reserved.map(({ free }) => free()));
  }
}

/** Waits until the relay of a service has published all events that are due. */
async function untilPublished(databaseUrl: string): Promise<void> {
  await withPostgres(databaseUrl, async (client) => {
    const { rows } = await client.query<{ table: string | null }>(`select to_regclass('outbox') as table`);
    if (rows[0]?.table === null) return;
    const due = 'select from outbox where published_at is null and created_at <= now() limit 1';
    await eventually(async () => (await client.query(due)).rowCount === 0);
  });
}

/** Waits until the first gateway is connected to every service. It is ready earlier, but refuses writes until then. */
async function untilConnected({ url }: Stack, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/ready`, { signal });
    const { dependencies } = (await response.json()) as { dependencies: Record<string, string> }; // Safe cast: the gateway sends this form.
    if (Object.values(dependencies).every((state) => state === 'up')) return;
    await sleep(100);
  }
}
