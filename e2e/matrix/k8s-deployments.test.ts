import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text as allText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { root } from '@esd/dev-stack/root';
import { services } from '@esd/dev-stack/service-table';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { type Manifest, podOf, renderOverlay } from '@esd/tools/test/deploy/manifests';
import { eventually } from '@esd/testing/eventually';

let stack: TestStack;
let folder: string;
let manifests: Manifest[];
beforeAll(async () => {
  manifests = renderOverlay('dev');
  stack = await leaseStack('moderated');
  folder = await mkdtemp(join(tmpdir(), 'esd-k8s-'));
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

// e2e/deploy/pods.test.ts checks the same in containers, with the permissions of the pods.
test.each(services.map(({ name }) => name))('%s becomes ready with the settings of its Deployment', async (service) => {
  const { app, settings, files } = podOf(manifests, service);
  const port = await reserveFreePort();
  await port.release();
  // Addresses and secrets are those of the stack.
  const env: NodeJS.ProcessEnv = { ...Object.fromEntries(settings), ...stack.environment(service) };
  Object.assign(env, {
    ESD_HTTP_LISTEN: `127.0.0.1:${port.port}`,
    ESD_GRPC_LISTEN: '127.0.0.1:0',
    ESD_LISTEN: '127.0.0.1:0',
  });
  for (const [path, text] of files) {
    const file = join(folder, `${service}-${basename(path)}`);
    await writeFile(file, text);
    for (const [name, value] of settings) if (value === path) env[name] = file;
  }
  const child = spawn(process.execPath, [...(app.args ?? [])], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const log = Promise.all([allText(child.stdout), allText(child.stderr)]);
  try {
    const ready = () =>
      request(`http://127.0.0.1:${port.port}/ready`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(ready, (status) => status === 200 || child.exitCode !== null, 60_000);
    expect([await ready(), child.exitCode]).toEqual([200, null]);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`its log: ${(await log).join('')}`, { cause: error });
  }
  child.kill();
  expect(await exited).toEqual([0, null]);
});
