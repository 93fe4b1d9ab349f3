import { root } from '@esd/dev-stack/root';
import { runCommand } from '@esd/testing/run-command';

/** The name of the image that the tests build. */
export const IMAGE = 'electrospinning-dataset-service:test';

/** Builds the image with the `docker build` options in ESD_TEST_BUILD, such as a private registry. */
export async function buildImage(timeoutMs: number): Promise<void> {
  const needs = process.env['ESD_TEST_BUILD']?.split(' ') ?? [];
  const env = { ...process.env, DOCKER_BUILDKIT: '1' };
  await runCommand(['docker', 'build', ...needs, '--tag', IMAGE, root], { env, timeoutMs });
}
