import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { root } from '@esd/dev-stack/root';
import { runningEnvironments } from '@esd/dev-stack/stack-file';
import { AdminError, EXIT } from './admin-error.ts';

/** An installation, reached through its container engine, its cluster, or its data folder. */
export interface Installation {
  /** Returns the names of the running replicas of a service. Throws an AdminError if the installation is unreachable. */
  replicas(service: string): Promise<string[]>;
  /** Runs a program in a replica of a service. */
  run(replica: string, service: string, words: readonly string[]): Promise<Output>;
}

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** The default is compose. */
export interface Selection {
  kubernetes: string | undefined;
  dataDir: string | undefined;
}

/** The compose command, as in tools/deploy/backup.sh. */
export const COMPOSE = (process.env['COMPOSE'] ?? 'docker compose').split(' ');
const LIST_MS = 15_000;
// A sweep or a migration takes minutes.
const RUN_MS = 600_000;

export function openInstallation({ kubernetes, dataDir }: Selection): Installation {
  if (kubernetes !== undefined) return cluster(kubernetes);
  return dataDir === undefined ? compose() : localStack(dataDir);
}

export function compose(): Installation {
  return {
    replicas: async (service) => {
      const ids = await listed([...COMPOSE, 'ps', '-q', service]);
      // Compose 1.29 also lists stopped containers, and only Compose 2 prints names.
      const format = '{{if .State.Running}}{{slice .Name 1}}{{end}}';
      return ids.length === 0 ? [] : listed(['docker', 'inspect', '--format', format, ...ids]);
    },
    // A migration runs in the new image, while replicas of the previous one serve.
    run: (container, service, words) =>
      words[0] === 'migrate'
        ? runProgram([...COMPOSE, 'run', '--rm', '--no-deps', '-T', service, program(service), ...words])
        : runProgram(['docker', 'exec', container, 'node', program(service), ...words]),
  };
}

function cluster(namespace: string): Installation {
  const kubectl = ['kubectl', '-n', namespace];
  return {
    replicas: (service) => {
      const pods = ['-l', `app.kubernetes.io/name=${service}`, '--field-selector', 'status.phase=Running'];
      return listed([...kubectl, '--request-timeout=10s', 'get', 'pods', ...pods, '-o', 'name']);
    },
    run: (pod, service, words) => runProgram([...kubectl, 'exec', pod, '--', 'node', program(service), ...words]),
  };
}

function localStack(dataDir: string): Installation {
  const environments = (): Map<string, Record<string, string>> => {
    const running = runningEnvironments(dataDir);
    if (running) return running;
    throw new AdminError(
      EXIT.unreachable,
      `No stack runs in ${dataDir}. Start it with: npm start -- --data-dir ${dataDir}`,
    );
  };
  return {
    replicas: (service) =>
      Promise.resolve([...environments().keys()].filter((name) => name.replace(/-\d+$/, '') === service)),
    run: (name, service, words) => {
      const env = { ...process.env, ...environments().get(name) };
      return runProgram([process.execPath, program(service), ...words], { env, cwd: root });
    },
  };
}

function program(service: string): string {
  return join('apps', service, 'src', 'main.ts');
}

/** Runs a program. Throws an AdminError if it is not installed or does not end in time. */
export function runProgram(
  [file = '', ...args]: readonly string[],
  {
    timeout = RUN_MS,
    input,
    ...where
  }: { env?: NodeJS.ProcessEnv; cwd?: string; timeout?: number; input?: string } = {},
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const options = { ...where, timeout, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT')
        reject(
          new AdminError(
            EXIT.unreachable,
            `${file} is not installed. Install it, or choose another installation with --data-dir, --compose, or --kubernetes.`,
          ),
        );
      else if (error && typeof error.code !== 'number')
        reject(new AdminError(EXIT.unreachable, `${file} ${args.join(' ')} did not end within ${timeout / 1000} s.`));
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    // The program may end without reading.
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
}

async function listed(command: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(command, { timeout: LIST_MS });
  if (code === 0) return stdout.split('\n').filter((line) => line !== '');
  // kubectl logs its attempts first, such as "E1125 17:22:58.113020 …".
  const reason = stderr.split('\n').find((line) => line !== '' && !/^[EWI]\d{4} /.test(line)) ?? '';
  // Without the plugin, docker takes the options of compose for its own.
  const hint = /unknown shorthand flag|not a docker command/.test(reason)
    ? 'docker has no compose plugin. Install it, or set COMPOSE=docker-compose.'
    : reason || command.join(' ');
  throw new AdminError(EXIT.unreachable, `The installation is unreachable: ${hint}`);
}
