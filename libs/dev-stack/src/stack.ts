import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';
import { whyNotFree } from './free-port.ts';
import { endLeftovers } from './leftovers.ts';
import { natsPermissions } from './nats-permissions.ts';
import { Secrets } from './secrets.ts';
import { startServers, type Servers } from './servers.ts';
import { gateway, services, usesNats } from './service-table.ts';
import { gatewayUrl, serviceProcesses } from './services.ts';
import { StackError } from './stack-error.ts';
import { removeStackFile, writeStackFile, type StackState } from './stack-file.ts';
import { Supervisor } from './supervisor.ts';

export interface StackOptions {
  /** Holds everything that is kept. */
  dataDir: string;
  /** The first gateway's port; further gateways have the next ones. */
  port: number;
  /** The IP address that the gateways listen on. */
  host: string;
  /** Copies by service name; one where none is given. */
  replicas: Record<string, number>;
  /** The ports on loopback where the first copies of services listen for a debugger, by service name. */
  inspectors?: ReadonlyMap<string, number>;
  /** Environment of the processes, and of the servers to use instead of embedded ones (see `startServers`). */
  env: NodeJS.ProcessEnv;
  /** Ends a start that is under way; the promise then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Takes one line for the person at the terminal. */
  say: (line: string) => void;
  /** The checkout whose programs run; this one unless given. */
  checkout?: string | undefined;
  /** False where nobody needs the data after a crash of the machine; true unless given. */
  durable?: boolean;
}

/** A running system. */
export interface Stack {
  /** Where the first gateway answers. */
  url: string;
  supervisor: Supervisor;
  servers: Servers;
  /** The addresses of every process by name, then by what is spoken there. */
  addresses: Record<string, Record<string, string>>;
  /** Says in `stack.json` that everything is done. */
  markReady: () => void;
  /** Ends every process, the services first, and gives the folder free. */
  stop: () => Promise<void>;
}

/**
 * Starts the servers, then the gateway and its services, and returns when all are ready. Throws a StackError for what a person
 * can put right; then, and when `signal` ends it, no process is left.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, port, host, replicas, inspectors, env, signal, say, checkout, durable = true } = options;
  await makeFolders(dataDir);
  const lock = await lockFolder(dataDir, say);
  try {
    await endLeftovers(dataDir, say);
    await checkPorts(host, port, replicas[gateway] ?? 1);
  } catch (error) {
    lock.release();
    throw error;
  }

  const state: StackState = {
    launcher: process.pid,
    parent: process.ppid,
    ready: false,
    stopping: false,
    url: gatewayUrl(host, port),
    addresses: {},
    processes: {},
  };
  const supervisor = new Supervisor(signal, say, (processes) => {
    state.processes = processes;
    writeStackFile(dataDir, state);
  });
  const stop = async (): Promise<void> => {
    state.ready = false;
    state.stopping = true;
    writeStackFile(dataDir, state);
    await supervisor.stop();
    removeStackFile(dataDir);
    lock.release();
  };
  let servers: Servers;
  try {
    const secrets = new Secrets(dataDir);
    servers = await startServers({
      dataDir,
      supervisor,
      secrets,
      env,
      durable,
      databases: services.flatMap(({ database }) => database ?? []),
      natsUsers: services.filter(usesNats).map((service) => {
        return { user: service.name, permissions: natsPermissions(service) };
      }),
      buckets: services.flatMap(({ bucket }) => bucket ?? []),
    });
    signal.throwIfAborted();
    say('PostgreSQL, NATS and the object store are up');
    const processes = await serviceProcesses({ dataDir, port, host, replicas, secrets, servers, env, checkout });
    for (const { spec } of processes) {
      const inspector = inspectors?.get(spec.name);
      if (inspector !== undefined) spec.args.unshift(`--inspect=127.0.0.1:${inspector}`);
    }
    state.addresses = Object.fromEntries(processes.map(({ spec, addresses }) => [spec.name, addresses]));
    await Promise.all(processes.map(({ spec }) => supervisor.start(spec)));
    say('the gateway and its services are up');
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: state.url,
    supervisor,
    servers,
    addresses: state.addresses,
    markReady: () => {
      state.ready = true;
      writeStackFile(dataDir, state);
    },
    stop,
  };
}

async function makeFolders(dataDir: string): Promise<void> {
  try {
    for (const folder of ['logs', 'mail']) await mkdir(join(dataDir, folder), { recursive: true });
  } catch (error) {
    throw new StackError(`${dataDir} cannot be written: ${String(error)}. Choose another folder with --data-dir.`);
  }
}

async function checkPorts(host: string, first: number, count: number): Promise<void> {
  for (let port = first; port < first + count; port++) {
    const reason = await whyNotFree(port, host);
    if (reason === 'EADDRINUSE') throw new StackError(`Port ${port} is taken: choose another with --port.`);
    if (reason === 'EADDRNOTAVAIL') throw new StackError(`--host ${host}: this machine has no such address.`);
    if (reason !== undefined)
      throw new StackError(`Port ${port} cannot be used (${reason}): choose another with --port.`);
  }
}
