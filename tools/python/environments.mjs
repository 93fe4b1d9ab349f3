import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installStep, pipReasons, toolsFolder } from '../install-step.mjs';
import { root } from '../run.mjs';

/**
 * An environment with the packages of clients/python/requirements/<set>.txt for one interpreter. `pip`: the interpreter whose pip installs
 * them if `interpreter` lacks ensurepip.
 *
 * @typedef {{ interpreter: import('./interpreters.mjs').Interpreter, set: string, pip?: import('./interpreters.mjs').Interpreter }} Environment
 */

/** Installing pandas takes minutes on a slow network. */
const timeout = 15 * 60_000;

export function pythonOf(environment) {
  return join(folderOf(environment), 'bin', 'python');
}

export function isMade(environment) {
  const stamp = join(folderOf(environment), 'stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(environment);
}

/** Recreates an environment with `python -m venv`. If the interpreter has no ensurepip, another pip installs into it (`pip --python`). */
export async function makeEnvironment(environment, signal) {
  const { interpreter, set, pip } = environment;
  const folder = folderOf(environment);
  const name = `Python ${interpreter.version} ${set}`;
  const options = {
    signal,
    // These pip settings of the user conflict with an environment.
    env: { PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    reasons: [
      [/no such option: --python/, `the pip of ${pip?.path ?? interpreter.path} is older than 22.3. Upgrade it`],
      [
        /No matching distribution/,
        `PyPI has no wheels for Python ${interpreter.version} on ${process.platform} ${process.arch}. Choose another Python with ESD_PYTHONS`,
      ],
      ...pipReasons,
    ],
  };
  const steps = [
    ['environment', interpreter.path, ['-m', 'venv', ...(interpreter.ensurepip ? [] : ['--without-pip']), folder]],
    interpreter.ensurepip
      ? ['packages', pythonOf(environment), ['-m', 'pip', ...installArguments(set)]]
      : [
          'packages',
          pip?.path ?? 'python3',
          ['-m', 'pip', '--python', pythonOf(environment), ...installArguments(set)],
        ],
  ];
  rmSync(folder, { recursive: true, force: true });
  for (const [what, command, arguments_] of steps) {
    await installStep(`${name} ${what}`, command, arguments_, timeout, options);
  }
  writeFileSync(join(folder, 'stamp'), stampOf(environment));
}

function installArguments(set) {
  return ['install', '--no-deps', '--only-binary=:all:', '--no-compile', '-r', fileOf(set)];
}

function folderOf({ interpreter, set }) {
  return join(toolsFolder, 'python', `${interpreter.version}-${set}`);
}

function fileOf(set) {
  return join(root, 'clients', 'python', 'requirements', `${set}.txt`);
}

function stampOf({ interpreter, set }) {
  return `${interpreter.path}\n${readFileSync(fileOf(set), 'utf8')}`;
}
