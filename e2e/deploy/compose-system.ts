import { createPrivateKey, randomBytes, randomInt } from 'node:crypto';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContainerRuntimeClient, getContainerRuntimeClient } from 'testcontainers';
import { importDemo } from '@esd/dev-stack/demo/import';
import { writeEnvFile } from '@esd/tools/deploy/env-file';
import { completeSecrets } from '@esd/tools/deploy/secret-values';
import { array, member, text } from '@esd/dev-stack/json-value';
import { portError } from '@esd/dev-stack/free-port';
import { root } from '@esd/dev-stack/root';
import { gateway } from '@esd/dev-stack/service-table';
import { eventually } from '@esd/testing/eventually';
import { type CommandOptions, runCommand } from '@esd/testing/run-command';
import { buildImage, IMAGE } from './image.ts';

/** A container with its state, as the engine lists it. */
export type Container = Awaited<ReturnType<ContainerRuntimeClient['container']['list']>>[number];

/** The whole system of docker-compose.yml, as a project of its own. */
export interface ComposeSystem {
  /** The folder with the credentials of the demo and with the mails, as in a local stack. */
  dataDir: string;
  /** The content of the `.env` file of the installation. */
  settings: ReadonlyMap<string, string>;
  /** The name of the project, the prefix of its networks. */
  project: string;
  /** The compose command of the project, without its arguments. */
  command: readonly string[];
  /** Runs a compose command on the project, for example `exec -T postgres psql`, and returns its output. */
  compose(args: readonly string[], options?: CommandOptions): Promise<string>;
  /**
   * Builds the image, starts missing containers, and waits until all are healthy. A service has the number of replicas of the
   * last call, or one.
   */
  up(replicas?: Readonly<Record<string, number>>): Promise<void>;
  /** Removes the containers and keeps the data. */
  down(): Promise<void>;
  /** Imports the demo dataset as `npm start` does. */
  importDemo(): Promise<void>;
  /** Returns the containers of a service, oldest first, including stopped containers. */
  containers(service: string): Promise<Container[]>;
  /** Returns the root URL of the oldest gateway. */
  url(): Promise<string>;
  /** Waits until all containers are healthy. */
  untilHealthy(): Promise<void>;
  /** Removes containers, networks, data and the folder. */
  dispose(): Promise<void>;
}

const commandMs = 180_000;
const withBuildKit = { ...process.env, DOCKER_BUILDKIT: '1' };
/** Includes the time to build the image. */
const upMs = 900_000;
const healthyMs = 120_000;
const MAX_GATEWAYS = 4;
// Below the range of local stacks, so that none of them takes a port while a system is down.
const [lowestPort, highestPort] = [12_000, 19_000];
/** The user of the processes in the image. */
const imageUser = 10_001;

/** The compose command of this machine: ESD_TEST_COMPOSE, the plugin of docker, or `docker-compose`. */
async function composeCommand(): Promise<string[]> {
  const chosen = process.env['ESD_TEST_COMPOSE'];
  if (chosen !== undefined) return chosen.split(' ');
  for (const candidate of [['docker', 'compose'], ['docker-compose']]) {
    try {
      await runCommand([...candidate, 'version']);
      return candidate;
    } catch {}
  }
  throw new Error('There is neither `docker compose` nor `docker-compose` on this machine.');
}

/** Prepares a system in containers, with new secrets; `up` starts it. */
export async function composeSystem(): Promise<ComposeSystem> {
  const command = await composeCommand();
  const project = `${process.env['ESD_TEST_PREFIX'] ?? 'esd-test-'}${randomBytes(4).toString('hex')}`;
  const dataDir = await mkdtemp(join(tmpdir(), `${project}-`));
  const firstPort = await freePorts();
  const settings = completeSecrets(
    new Map([
      // A range; each gateway takes one port.
      ['ESD_PORT', `${firstPort}-${firstPort + MAX_GATEWAYS - 1}`],
      ['ESD_PUBLIC_URL', `http://127.0.0.1:${firstPort}`],
      ['ESD_DATASET_FILE', join(root, 'demo', 'dataset.json')],
      ['ESD_MAIL_DIR', '/mail'],
      ['ESD_RATE_LIMITS', 'off'],
      // The tests also run while other processes use the machine.
      ['ESD_UPSTREAM_WAIT_MS', '2000'],
      ['ESD_ANONYMOUS_PENDING', '1000000'],
      ['ESD_FEEDBACK_DAILY', '1000000'],
      ['ESD_IMAGE', IMAGE],
    ]),
  );
  const [envFile, override] = [join(dataDir, 'settings.env'), join(dataDir, 'override.json')];
  await writeFile(envFile, writeEnvFile(settings), { mode: 0o600 });
  await writeFile(override, JSON.stringify(await testOverride(dataDir)));
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ 'session-key': sessionKey(settings) }));

  const files = ['-f', join(root, 'docker-compose.yml'), '-f', override, '--env-file', envFile, '-p', project];
  const ofProject = [...command, ...files];
  const compose: ComposeSystem['compose'] = (args, options) =>
    runCommand([...ofProject, ...args], { cwd: root, timeoutMs: commandMs, env: withBuildKit, ...options });
  const { container: docker } = await getContainerRuntimeClient();
  const containers = async (service?: string): Promise<Container[]> => {
    const label = [`com.docker.compose.project=${project}`];
    if (service !== undefined) label.push(`com.docker.compose.service=${service}`);
    return (await docker.dockerode.listContainers({ all: true, filters: { label } })).reverse();
  };
  const url = async (): Promise<string> => {
    const ports = (await containers(gateway)).flatMap(({ Ports }) => Ports);
    const published = ports.find(({ PrivatePort, PublicPort }) => PrivatePort === 8080 && PublicPort)?.PublicPort;
    if (published === undefined) throw new Error('No gateway runs.');
    return `http://127.0.0.1:${published}`;
  };
  const untilHealthy = async (): Promise<void> => {
    const states = async () => (await containers()).map(({ Names, Status }) => `${Names.join()} ${Status}`);
    const areHealthy = (all: string[]): boolean => all.every((state) => state.endsWith('(healthy)'));
    await eventually(states, areHealthy, healthyMs).catch(async (error: unknown) => {
      throw new Error(await compose(['logs', '--tail', '30']), { cause: error });
    });
  };
  let scale: string[] = [];
  let build = buildForCompose;
  return {
    dataDir,
    settings,
    project,
    command: ofProject,
    compose,
    containers,
    url,
    untilHealthy,
    up: async (replicas) => {
      if (replicas) scale = Object.entries(replicas).flatMap(([name, count]) => ['--scale', `${name}=${count}`]);
      const options = await build();
      build = () => Promise.resolve([]);
      await compose(['up', '--detach', '--no-recreate', ...options, ...scale], { timeoutMs: upMs });
      await untilHealthy();
    },
    down: async () => {
      await compose(['down']);
    },
    importDemo: async () => {
      const bootstrapToken = settings.get('ESD_BOOTSTRAP_TOKEN');
      const signal = AbortSignal.timeout(commandMs);
      await importDemo({ url: await url(), dataDir, bootstrapToken, signal, say: () => undefined });
    },
    dispose: async () => {
      await compose(['down', '--volumes', '--remove-orphans']);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Builds the image. Returns the options of `up`, which builds it again unless `docker build` needs options (ESD_TEST_BUILD). */
async function buildForCompose(): Promise<string[]> {
  // Compose 1.29 pulls an image that only one of several services builds, so it must exist.
  await buildImage(upMs);
  return process.env['ESD_TEST_BUILD'] === undefined ? ['--build'] : [];
}

/** Returns the first port of a free range that is as long as the maximum number of gateways. */
async function freePorts(): Promise<number> {
  for (;;) {
    const first = randomInt(lowestPort, highestPort);
    const ports = Array.from({ length: MAX_GATEWAYS }, (_, index) => first + index);
    const errors = await Promise.all(ports.map((port) => portError(port)));
    if (errors.every((error) => error === undefined)) return first;
  }
}

/** Returns the difference from an installation: the mails are in a folder that the test can read. */
async function testOverride(dataDir: string): Promise<object> {
  const mail = join(dataDir, 'mail');
  await mkdir(mail);
  // Only the owner can read a mail. A test that does not run as root therefore runs the service as its own user.
  const [own, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const writer = own === 0 ? `${imageUser}:${imageUser}` : `${own}:${group}`;
  if (own === 0) await chown(mail, imageUser, imageUser);
  return { services: { 'identity-svc': { user: writer, volumes: [`${mail}:/mail`] } } };
}

/** The PEM key that signs sessions, in the format of a local stack. */
function sessionKey(settings: ReadonlyMap<string, string>): string {
  const [key] = array(member(JSON.parse(settings.get('ESD_SESSION_PRIVATE_KEYS') ?? ''), 'keys'));
  const [kty, crv, x, y, d] = ['kty', 'crv', 'x', 'y', 'd'].map((name) => text(member(key, name)));
  const jwk = Object.fromEntries(Object.entries({ kty, crv, x, y, d }));
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
}
