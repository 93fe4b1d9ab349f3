import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importDemo } from '@esd/tools/demo-import';
import { holdFreePort, whyNotFree } from '@esd/tools/stack/free-port';
import { runningProcesses } from '@esd/tools/stack/processes';
import { startStack as startProcesses } from '@esd/tools/stack/stack';

export interface TestStackOptions {
  /** Without the demo dataset and its admin. */
  empty?: boolean;
  /** Copies by service name; one where none is given. */
  replicas?: Record<string, number>;
  /** Settings of the processes; no rate limit and no share of what is sent without an account unless they say so. */
  env?: NodeJS.ProcessEnv;
  /** Another checkout whose programs run. */
  checkout?: string;
}

/** The whole system as processes of its own, in a temporary folder. Processes have the names that they have in stack.json. */
export interface TestStack {
  /** Root of the first gateway's interface. */
  url: string;
  dataDir: string;
  /** The addresses of every process by name, then by what is spoken there: public, http, grpc. */
  addresses: Record<string, Record<string, string>>;
  /** The environment of a process: everything that it is given. */
  environment(name: string): NodeJS.ProcessEnv;
  /** Process id, or undefined while it is down. */
  pid(name: string): number | undefined;
  /** Sends a signal; the supervisor starts a process again that it ends. */
  signal(name: string, signal: NodeJS.Signals): void;
  /** SIGKILL; the process stays down until it is started. */
  kill(name: string): Promise<void>;
  /** Starts a process that is down, on the same ports with the same data, and waits until it is ready. */
  start(name: string): Promise<void>;
  /** Stops in order and starts again, the program of another checkout if one is given. */
  restart(name: string, checkout?: string): Promise<void>;
  /** SIGSTOP, for the process and those that it started. */
  pause(name: string): Promise<void>;
  /** SIGCONT after `pause`. */
  resume(name: string): Promise<void>;
  /** Address of a service's database, for example `esd_dataset`. */
  databaseUrl(database: string): string;
  /** Address of PostgreSQL for its administrator. */
  adminUrl: string;
  nats: { url: string; user(service: string): { user: string; password: string } };
  /** Ends every process and removes the folder. */
  stop(): Promise<void>;
}

const startMs = 200_000;

/** Starts a system for tests and waits until it is ready, with the demo dataset in it unless `empty`. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  const { empty = false, replicas = {}, env = {}, checkout } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'esd-test-'));
  const signal = AbortSignal.timeout(startMs);
  const stack = await startProcesses({
    dataDir,
    port: await freePorts(replicas['gateway'] ?? 1),
    host: '127.0.0.1',
    replicas,
    env: {
      ...process.env,
      ESD_RATE_LIMITS: 'off',
      ESD_ANONYMOUS_PENDING: '1000000',
      ESD_FEEDBACK_DAILY: '1000000',
      ...env,
    },
    checkout,
    signal,
    say: () => undefined,
  });
  const { url, addresses, supervisor, servers } = stack;
  const child = (name: string) => supervisor.child(name);
  const paused = new Map<string, number[]>();
  const resume = (name: string): void => {
    for (const pid of paused.get(name) ?? []) signalIfRunning(pid, 'SIGCONT');
    paused.delete(name);
  };
  const stop = async (): Promise<void> => {
    for (const name of paused.keys()) resume(name);
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    if (!empty) await importDemo({ url, dataDir, signal, say: () => undefined });
  } catch (error) {
    await stop();
    throw error;
  }
  const start = (name: string): Promise<void> => child(name).start(AbortSignal.timeout(startMs));
  return {
    url,
    dataDir,
    addresses,
    environment: (name) => ({ ...child(name).spec.env }),
    pid: (name) => child(name).pid,
    signal: (name, which) => process.kill(running(name, child(name).pid), which),
    kill: async (name) => {
      await child(name).kill();
      resume(name);
    },
    start,
    restart: async (name, from) => {
      resume(name);
      await child(name).stop();
      if (from !== undefined) child(name).spec.cwd = from;
      await start(name);
    },
    pause: async (name) => {
      const tree = await processTree(running(name, child(name).pid));
      for (const pid of tree) signalIfRunning(pid, 'SIGSTOP');
      paused.set(name, tree);
    },
    resume: async (name) => resume(name),
    adminUrl: servers.adminUrl,
    databaseUrl: (database) => {
      const found = servers.databaseUrls.get(database);
      if (found === undefined) throw new Error(`there is no database ${database}`);
      return found;
    },
    nats: { url: servers.natsUrl, user: servers.natsUser },
    stop,
  };
}

function running(name: string, pid: number | undefined): number {
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

/** A process and those that it started. */
async function processTree(root: number): Promise<number[]> {
  const all = [...(await runningProcesses()).values()];
  return [root, ...all.filter(({ parent }) => parent === root).map(({ pid }) => pid)];
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** The first of `count` free ports in a row. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const held = await holdFreePort();
    await held.release();
    const ports = Array.from({ length: count }, (_, index) => held.port + index);
    const reasons = await Promise.all(ports.map((port) => whyNotFree(port)));
    if (reasons.every((reason) => reason === undefined)) return held.port;
  }
}
