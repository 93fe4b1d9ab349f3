import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { requirementsOf } from '../requirements.mjs';
import { root } from '@esd/dev-stack/root';

test.each(['tools/requirements.txt', 'tools/deploy/requirements.txt', 'bench/requirements.txt'])(
  '%s pins one version and the hashes of each package',
  (file) => {
    const requirements = requirementsOf(join(root, file));
    expect(requirements.length).toBeGreaterThan(1);
    for (const requirement of requirements) {
      expect(requirement).toMatch(/^[\w-]+==\d[\w.]*( --hash=sha256:[0-9a-f]{64})+$/);
    }
  },
);

test('the server binaries have hashes for Linux and macOS on two processor types', () => {
  for (const requirement of requirementsOf(join(root, 'tools/requirements.txt'))) {
    expect(requirement.match(/--hash=/g)?.length).toBeGreaterThanOrEqual(4);
  }
});
