import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { ComposeSystem } from './compose-system.ts';
import { runCommand } from '@esd/testing/run-command';
import { type Manifest, podOf } from '@esd/tools/test/deploy/manifests';

const confinement = z.strictObject({
  /** User and group ids: real, effective, saved, file system. */
  uid: z.string(),
  gid: z.string(),
  /** The bounding set of capabilities, as a hexadecimal mask. */
  capabilities: z.string(),
  noNewPrivileges: z.string(),
  seccomp: z.string(),
  /** By folder: `written`, or the error. */
  writes: z.record(z.string(), z.string()),
  /** The status codes of the internal HTTP port. */
  health: z.int(),
  ready: z.int(),
});

/** The permissions of a process in a container, as the process itself sees them. */
export type Confinement = z.output<typeof confinement>;

/** Settings that name paths in a container; the values are those of the pod. */
const PLACES = ['ESD_DATASET_FILE'];

const inspected = z.tuple([
  z.object({
    Config: z.object({ Env: z.array(z.string()), Image: z.string() }),
    NetworkSettings: z.object({ Networks: z.record(z.string(), z.unknown()) }),
  }),
]);

/**
 * Starts one more container of a service in a compose project and returns its id. User, capabilities, file system, memory,
 * arguments and settings are those of the Deployment in the manifests; addresses and secrets are those of the project.
 */
export async function startAsPod(
  system: ComposeSystem,
  service: string,
  manifests: readonly Manifest[],
): Promise<string> {
  const { spec, app, settings, files } = podOf(manifests, service);
  const { securityContext, volumes = [] } = spec;
  const context = z
    .object({
      runAsUser: z.int(),
      runAsGroup: z.int(),
      readOnlyRootFilesystem: z.boolean(),
      allowPrivilegeEscalation: z.boolean(),
      capabilities: z.object({ drop: z.array(z.string()) }),
    })
    .parse({ ...securityContext, ...app.securityContext });
  const [like = ''] = await system.containers(service);
  const [{ Config, NetworkSettings }] = inspected.parse(JSON.parse(await runCommand(['docker', 'inspect', like])));

  for (const setting of Config.Env) {
    const [name = ''] = setting.split('=', 1);
    // A name without a value is a variable that is not set.
    if (name !== setting && !PLACES.includes(name)) settings.set(name, setting.slice(name.length + 1));
  }
  const envFile = join(system.dataDir, `${service}.env`);
  await writeFile(envFile, [...settings].map(([name, value]) => `${name}=${value}`).join('\n'), { mode: 0o600 });

  const [network = '', ...others] = Object.keys(NetworkSettings.Networks);
  const memory = String(bytesOf(app.resources?.limits?.['memory']));
  const mounts: string[] = [];
  for (const { name, mountPath } of app.volumeMounts ?? []) {
    const volume = volumes.find((one) => one.name === name);
    if (volume?.configMap) {
      const folder = join(system.dataDir, `${service}-${name}`);
      await mkdir(folder, { recursive: true });
      for (const [path, text] of files) {
        if (dirname(path) === mountPath) await writeFile(join(folder, basename(path)), text);
      }
      mounts.push('--volume', `${folder}:${mountPath}:ro`);
    } else {
      mounts.push('--tmpfs', `${mountPath}:mode=1777,size=${bytesOf(volume?.emptyDir?.sizeLimit)}`);
    }
  }
  const created = await runCommand([
    ...['docker', 'create', '--env-file', envFile, '--network', network, '--memory', memory, '--memory-swap', memory],
    ...['--user', `${context.runAsUser}:${context.runAsGroup}`],
    ...(context.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(context.allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...context.capabilities.drop.flatMap((capability) => ['--cap-drop', capability]),
    ...mounts,
    ...[Config.Image, ...(app.args ?? [])],
  ]);
  const container = created.trim();
  for (const other of others) await runCommand(['docker', 'network', 'connect', other, container]);
  await runCommand(['docker', 'start', container]);
  return container;
}

const inside = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const status = readFileSync('/proc/1/status', 'utf8');
  const field = (name) => status.split('\\n').find((line) => line.startsWith(name + ':')).slice(name.length + 1).trim();
  const write = (folder) => {
    try {
      writeFileSync(folder + '/probe', 'x');
      return 'written';
    } catch (error) {
      return error.code;
    }
  };
  const ask = (path) => fetch('http://127.0.0.1:8081' + path).then(({ status }) => status, () => 0);
  console.log(JSON.stringify({
    uid: field('Uid'),
    gid: field('Gid'),
    capabilities: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs'),
    seccomp: field('Seccomp'),
    writes: Object.fromEntries(['/', '/app', '/tmp', '/var/tmp', '/dev/shm'].map((folder) => [folder, write(folder)])),
    health: await ask('/health'),
    ready: await ask('/ready'),
  }));
`;

/**
 * Reads the permissions and the state of a process from inside its container. Throws an Error with its log if the container has
 * stopped.
 */
export async function lookInside(container: string): Promise<Confinement> {
  const command = ['docker', 'exec', container, 'node', '--input-type=module', '--eval', inside];
  try {
    return confinement.parse(JSON.parse(await runCommand(command)));
  } catch (error) {
    throw new Error(`its log: ${await runCommand(['docker', 'logs', '--tail', '30', container])}`, { cause: error });
  }
}

const units: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** Converts a Kubernetes quantity to bytes. */
function bytesOf(quantity: string | undefined): number {
  const [, count, unit = ''] = /^(\d+)(\w*)$/.exec(quantity ?? '') ?? [];
  const factor = units[unit];
  if (count === undefined || factor === undefined) throw new Error(`${String(quantity)} is not a known size`);
  return Number(count) * factor;
}
