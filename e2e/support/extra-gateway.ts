import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { request } from '@esd/testing/http';
import type { TestStack } from '@esd/testing/stack';
import { eventually } from '@esd/testing/eventually';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Starts one more gateway in front of the services of a stack, with other settings. Returns its root URL on loopback. */
export async function startGateway(
  stack: TestStack,
  settings: NodeJS.ProcessEnv,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const [open, internal] = await Promise.all([reserveFreePort(), reserveFreePort()]);
  await Promise.all([open.release(), internal.release()]);
  const child = spawn(process.execPath, ['apps/gateway/src/main.ts'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      ...stack.environment('gateway'),
      ESD_LISTEN: `127.0.0.1:${open.port}`,
      ESD_HTTP_LISTEN: `127.0.0.1:${internal.port}`,
      ...settings,
    },
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${open.port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
        return request(`${url}/ready`).then(
          ({ status }) => status,
          () => 0,
        );
      },
      (status) => status === 200,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}
