import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolsFolder } from '../install-step.mjs';
import { pythonEnvironment, run } from './client-tests.mjs';
import { pythonOf } from './environments.mjs';
import { lintEnvironment } from './test-runs.mjs';

/** The oldest Python that mypy supports. ruff, the syntax check and the tests cover 3.8 and 3.9. */
const MYPY_MINIMUM = '3.10';

/** The metadata readers, relative to the folder of the client. The rules of the client apply to them. */
const readers = '../../tools/readers';
const ofClient = ['--config', 'pyproject.toml'];

/** Parses every module as Python 3.8, the oldest version that the client supports. */
const syntax = `
import ast, pathlib
for path in pathlib.Path("src").rglob("*.py"):
    ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))
`;

/**
 * Returns the checks of the Python client and of the metadata readers. Prints a line and returns no checks if Python is missing.
 *
 * @returns {Promise<{ name: string, run: () => Promise<number> }[]>}
 */
export async function pythonChecks() {
  const environment = await lintEnvironment();
  if (environment === undefined) return [];
  const cache = join(toolsFolder, 'python');
  const check = (name, ...arguments_) => ({ name, run: () => runPython(environment, arguments_) });
  return [
    check('ruff check', '-m', 'ruff', 'check', ...ofClient, '.', readers, '--cache-dir', join(cache, 'ruff')),
    check(
      'ruff format',
      '-m',
      'ruff',
      'format',
      '--check',
      ...ofClient,
      '.',
      readers,
      '--cache-dir',
      join(cache, 'ruff'),
    ),
    check('mypy', '-m', 'mypy', '--cache-dir', join(cache, 'mypy')),
    // The packages of the readers are not installed here.
    check('mypy of the readers', '-m', 'mypy', '--ignore-missing-imports', '--cache-dir', join(cache, 'mypy'), readers),
    // numpy's types need a newer Python, so mypy does not know them.
    check(
      `mypy as ${MYPY_MINIMUM}`,
      ...['-m', 'mypy', '--cache-dir', join(cache, 'mypy'), `--python-version=${MYPY_MINIMUM}`],
      ...['--no-warn-return-any', '--no-warn-unused-ignores'],
    ),
    check('syntax of Python 3.8', '-c', syntax),
  ];
}

async function runPython(environment, arguments_) {
  const home = mkdtempSync(join(tmpdir(), 'esd-python-'));
  try {
    return await run(pythonOf(environment), arguments_, pythonEnvironment(home));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
