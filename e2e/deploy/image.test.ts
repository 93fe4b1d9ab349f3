import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { services, variableName } from '@esd/dev-stack/service-table';
import { newSigningKey, signingKeySets } from '@esd/dev-stack/signing-key';
import { request } from '@esd/testing/http';
import { buildImage, IMAGE } from './image.ts';

const BUILD_MS = 900_000;
const START_MS = 120_000;
const NOBODY_LISTENS = '127.0.0.1:9';

let gateway: StartedTestContainer;
const started: StartedTestContainer[] = [];
beforeAll(async () => {
  await buildImage(BUILD_MS);
  gateway = await new GenericContainer(IMAGE)
    .withEnvironment(settings())
    .withExposedPorts(8080, 8081)
    // The default command of the image runs the gateway, which stays alive without services.
    .withWaitStrategy(Wait.forHttp('/health', 8081).forStatusCode(200))
    .withStartupTimeout(START_MS)
    .start();
  started.push(gateway);
}, BUILD_MS + START_MS);
afterAll(async () => {
  for (const container of started) await container.stop();
});

function settings(): Record<string, string> {
  const targets: Record<string, string> = {};
  for (const { name } of services) {
    targets[`ESD_${variableName(name)}_TARGET`] = NOBODY_LISTENS;
    targets[`ESD_${variableName(name)}_HTTP`] = `http://${NOBODY_LISTENS}`;
  }
  return {
    ...targets,
    ESD_SERVICE_PRIVATE_KEYS: signingKeySets(newSigningKey(), 'gateway').privateSet,
    ESD_HTTP_LISTEN: '8081',
    ESD_PUBLIC_URL: 'https://esd.example.org',
    ESD_DATASET_FILE: 'demo/dataset.json',
  };
}

const at = (path: string) =>
  request(`http://${gateway.getHost()}:${gateway.getMappedPort(8080)}${path}`, {
    headers: { accept: 'application/json' },
  });

test('the image alone returns errors in the common form and lists the services that are away', async () => {
  expect((await at('/ready')).status).toBe(503);
  expect(await at('/public/dataset')).toMatchObject({ status: 503, json: { code: 'UNAVAILABLE' } });
  expect((await at('/openapi.json')).status).toBe(200);
});

test('it contains esd-admin, which needs docker or kubectl of the host', async () => {
  const { exitCode, output } = await gateway.exec(['esd-admin', 'status', '--kubernetes', 'esd']);
  expect([exitCode, output]).toEqual([3, expect.stringMatching(/^kubectl is not installed\./)]);
});

test('it runs unprivileged and shuts down gracefully on SIGTERM', async () => {
  const { output } = await gateway.exec(['node', '--eval', 'console.log(process.getuid())']);
  expect(output.trim()).toBe('10001');
  const container = (await getContainerRuntimeClient()).container.getById(gateway.getId());
  await container.stop({ t: 30 });
  expect((await container.inspect()).State.ExitCode).toBe(0);
});
