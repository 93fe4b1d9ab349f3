import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { completeInterpreter, findInterpreters, withoutComplete } from '../python/interpreters.mjs';

const folder = mkdtempSync(join(tmpdir(), 'esd-interpreters-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a program that prints the facts of an interpreter. */
function program(name: string, answer: object): string {
  const file = join(folder, name);
  const interpreter = { implementation: 'cpython', release: true, major: 3, venv: true, ensurepip: true, pip: '24.0' };
  writeFileSync(file, `#!/bin/sh\necho '${JSON.stringify({ ...interpreter, ...answer })}'\n`, { mode: 0o755 });
  return file;
}

const newest = program('newest', { minor: 13, version: '3.13.1' });
const older = program('older', { minor: 13, version: '3.13.0' });
const oldest = program('oldest', { minor: 8, version: '3.8.18' });

test('findInterpreters returns one interpreter per minor version, newest first', async () => {
  const found = await findInterpreters({ ESD_PYTHONS: [oldest, older, newest].join(':') });
  expect(found.map(({ path }) => path)).toEqual([newest, oldest]);
  expect(completeInterpreter(found)?.path).toBe(newest);
});

test('findInterpreters ignores programs that fail and unsupported interpreters', async () => {
  const shim = join(folder, 'shim');
  writeFileSync(shim, '#!/bin/sh\necho "command not found" >&2\nexit 127\n', { mode: 0o755 });
  const others = [
    program('pypy', { implementation: 'pypy', minor: 11, version: '3.11.9' }),
    program('alpha', { release: false, minor: 14, version: '3.14.0' }),
    program('ancient', { minor: 7, version: '3.7.16' }),
    program('without-venv', { venv: false, minor: 12, version: '3.12.0' }),
  ];
  expect(await findInterpreters({ ESD_PYTHONS: [shim, join(folder, 'missing'), ...others].join(':') })).toEqual([]);
});

test('without a newer interpreter, a message names what is skipped', async () => {
  const found = await findInterpreters({ ESD_PYTHONS: oldest });
  expect(completeInterpreter(found)).toBeUndefined();
  expect(withoutComplete('ruff and mypy', found)).toMatch(
    /^ruff and mypy: skipped.*newest found is 3\.8\.18.*ESD_PYTHONS/,
  );
});
