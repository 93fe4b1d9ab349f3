import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { composeSystem, type ComposeSystem } from './compose-system.ts';
import { services } from '@esd/dev-stack/service-table';
import { type Manifest, renderOverlay } from '@esd/tools/test/deploy/manifests';
import { eventually } from '@esd/testing/eventually';
import { lookInside, startAsPod } from './as-pod.ts';

const upMs = 900_000;
const readyMs = 60_000;

let system: ComposeSystem;
let manifests: Manifest[];
beforeAll(async () => {
  // Its pods have the permissions of production, as k8s-manifests.test.ts checks, but need neither TLS nor a domain.
  manifests = renderOverlay('dev');
  system = await composeSystem();
  await system.up();
}, upMs);
const started: Awaited<ReturnType<typeof startAsPod>>[] = [];
afterAll(async () => {
  for (const container of started) await container.remove({ force: true });
  await system.dispose();
}, upMs);

test.each(services.map(({ name }) => name))(
  '%s works with the permissions that Kubernetes grants',
  async (service) => {
    const container = await startAsPod(system, service, manifests);
    started.push(container);
    const seen = await eventually(
      () => lookInside(container),
      ({ ready }) => ready === 200,
      readyMs,
    );
    expect(seen).toEqual({
      uid: '10001\t10001\t10001\t10001',
      gid: '10001\t10001\t10001\t10001',
      capabilities: '0000000000000000',
      noNewPrivileges: '1',
      // Seccomp in filter mode.
      seccomp: '2',
      writes: { '/': 'EROFS', '/app': 'EROFS', '/tmp': 'written', '/var/tmp': 'EROFS', '/dev/shm': 'written' },
      health: 200,
      ready: 200,
    });
  },
  2 * readyMs,
);
