import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';
import { portError } from './free-port.ts';
import { endLeftovers } from './leftovers.ts';
import { natsPermissions } from './nats-permissions.ts';
import { Secrets } from './secrets.ts';
import { startServers, type Servers } from './servers.ts';
import { gateway, services, usesNats } from './service-table.ts';
import { gatewayUrl, serviceProcesses } from './services.ts';
import { StackError } from './stack-error.ts';
import { removeStackFile, type StackState, writeEnvironments, writeStackFile } from './stack-file.ts';
import { Supervisor } from './supervisor.ts';

export interface StackOptions {
  /** Folder of all stored data. */
  dataDir: string;
  /** The port of the first gateway; further gateways use the next ports. */
  port: number;
  host: string;
  /** Number of replicas by service name; the default is 1. */
  replicas: Record<string, number>;
  /** The loopback ports on which the first replicas listen for a debugger, by service name. */
  inspectors?: ReadonlyMap<string, number>;
  /** Environment of the processes. It can name servers that replace embedded ones (see `startServers`). */
  env: NodeJS.ProcessEnv;
  /** Aborts a running start; the promise then rejects with the reason of the signal. */
  signal: AbortSignal;
  say: (line: string) => void;
  /** The checkout whose programs run; the default is this one. */
  checkout?: string | undefined;
  /** If false, a crash of the machine can lose the data. The default is true. */
  durable?: boolean;
}

export interface Stack {
  url: string;
  supervisor: Supervisor;
  servers: Servers;
  /** The addresses of every process by name, then by protocol. */
  addresses: Record<string, Record<string, string>>;
  markReady: () => void;
  /** Stops every process, the servers last, and unlocks the folder. */
  stop: () => Promise<void>;
}

/**
 * Starts the servers, then the gateway and its services, and returns when all are ready. Throws a StackError for errors that the user can
 * fix. After an error or an abort by `signal` no process is left.
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
    writeEnvironments(
      dataDir,
      processes.map(({ spec }) => spec),
    );
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
    for (const folder of ['.', 'logs', 'mail', 'objects']) {
      await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 });
      // The folder may exist with another mode.
      await chmod(join(dataDir, folder), 0o700);
    }
  } catch (error) {
    throw new StackError(`Cannot write to ${dataDir}: ${String(error)}. Choose another folder with --data-dir.`);
  }
}

async function checkPorts(host: string, first: number, count: number): Promise<void> {
  for (let port = first; port < first + count; port++) {
    const errors = await Promise.all(
      (host === 'localhost' ? ['127.0.0.1', '::1'] : [host]).map((address) => portError(port, address)),
    );
    // Without IPv6, ::1 cannot be used.
    const error = errors.includes('EADDRINUSE') ? 'EADDRINUSE' : errors[0];
    if (error === 'EADDRINUSE') throw new StackError(`Port ${port} is in use. Choose another with --port.`);
    if (error === 'EADDRNOTAVAIL')
      throw new StackError(`--host ${host}: this machine does not have this address. Choose one of its addresses.`);
    if (error !== undefined)
      throw new StackError(`Port ${port} cannot be used (${error}). Choose another with --port.`);
  }
}
