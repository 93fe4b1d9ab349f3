import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { loadSync } from '@grpc/proto-loader';
import { PEERS } from '@esd/proto/peers';

test('the table has a row for every method of every proto, with at least one peer, and no other', () => {
  const folder = fileURLToPath(new URL('../../../proto', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.proto'));
  const definition = loadSync(files, { includeDirs: [folder] });
  const paths = Object.values(definition).flatMap((one) =>
    'format' in one ? [] : Object.values(one).map(({ path }) => path),
  );
  expect(paths.length).toBeGreaterThan(60);
  const rows = Object.entries(PEERS).flatMap(([target, methods]) =>
    Object.entries<readonly string[]>(methods).map(([method, peers]) => ({ path: `/${target}/${method}`, peers })),
  );
  expect(
    rows
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('/http:'))
      .sort(),
  ).toEqual(paths.sort());
  expect(rows.filter(({ peers }) => peers.length === 0)).toEqual([]);
});
