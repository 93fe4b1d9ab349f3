import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ContainerRuntimeClient, getContainerRuntimeClient } from 'testcontainers';
import { z } from 'zod';
import type { ComposeSystem } from './compose-system.ts';
import { type Manifest, podOf } from '@esd/tools/test/deploy/manifests';

type Container = ReturnType<ContainerRuntimeClient['container']['getById']>;

/** Settings that name paths in a container; the values are those of the pod. */
const PLACES = ['ESD_DATASET_FILE'];

/**
 * Starts one more container of a service in a compose project and returns it. User, capabilities, file system, memory,
 * arguments and settings are those of the Deployment in the manifests; addresses and secrets are those of the project.
 */
export async function startAsPod(
  system: ComposeSystem,
  service: string,
  manifests: readonly Manifest[],
): Promise<Container> {
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
  const { container: docker } = await getContainerRuntimeClient();
  const [like] = await system.containers(service);
  const { Config, NetworkSettings } = await docker.getById(like?.Id ?? '').inspect();
  for (const setting of Config.Env) {
    const [name = ''] = setting.split('=', 1);
    // A name without a value is a variable that is not set.
    if (name !== setting && !PLACES.includes(name)) settings.set(name, setting.slice(name.length + 1));
  }
  const Binds: string[] = [];
  const Tmpfs: Record<string, string> = {};
  for (const { name, mountPath } of app.volumeMounts ?? []) {
    const volume = volumes.find((one) => one.name === name);
    if (volume?.configMap) {
      const folder = join(system.dataDir, `${service}-${name}`);
      await mkdir(folder, { recursive: true });
      for (const [path, text] of files) {
        if (dirname(path) === mountPath) await writeFile(join(folder, basename(path)), text);
      }
      Binds.push(`${folder}:${mountPath}:ro`);
    } else {
      Tmpfs[mountPath] = `mode=1777,size=${bytesOf(volume?.emptyDir?.sizeLimit)}`;
    }
  }
  const [NetworkMode = '', ...networks] = Object.keys(NetworkSettings.Networks);
  const Memory = bytesOf(app.resources?.limits?.['memory']);
  const container = await docker.create({
    Image: Config.Image,
    Cmd: [...(app.args ?? [])],
    Env: [...settings].map(([name, value]) => `${name}=${value}`),
    User: `${context.runAsUser}:${context.runAsGroup}`,
    HostConfig: {
      ...{ NetworkMode, Memory, MemorySwap: Memory, Binds, Tmpfs },
      ReadonlyRootfs: context.readOnlyRootFilesystem,
      SecurityOpt: context.allowPrivilegeEscalation ? [] : ['no-new-privileges'],
      CapDrop: context.capabilities.drop,
    },
  });
  for (const network of networks) await docker.dockerode.getNetwork(network).connect({ Container: container.id });
  await container.start();
  return container;
}

/** Prints the ids, the capabilities as a mask, whether each folder can be written, and the status codes of the internal HTTP port. */
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
export async function lookInside(container: Container): Promise<{ ready: number }> {
  const { container: docker } = await getContainerRuntimeClient();
  try {
    const { stdout } = await docker.exec(container, ['node', '--input-type=module', '--eval', inside]);
    return z.looseObject({ ready: z.int() }).parse(JSON.parse(stdout));
  } catch (error) {
    const log = await container.logs({ stdout: true, stderr: true, tail: 30 });
    throw new Error(`its log: ${log.toString()}`, { cause: error });
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
