import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An interpreter that can create environments.
 *
 * @typedef {{ path: string, version: string, minor: number, ensurepip: boolean, pip: string | null }} Interpreter
 *   `version`: for example 3.13.0, with `minor` 13; `ensurepip`: whether it has the module; `pip`: the version of its pip
 */

/** The newest version for which the packages in clients/python/requirements have wheels. */
const NEWEST_MINOR = 15;
const OLDEST_MINOR = 8;

/** The oldest version that runs the newest pandas, and can therefore check the whole client. */
const COMPLETE_MINOR = 11;

const probe = `
import importlib, json, sys
def has(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
print(json.dumps({
    "implementation": sys.implementation.name,
    "release": sys.version_info[3] == "final",
    "major": sys.version_info[0],
    "minor": sys.version_info[1],
    "version": "%d.%d.%d" % sys.version_info[:3],
    "venv": has("venv") is not None,
    "ensurepip": has("ensurepip") is not None,
    "pip": getattr(has("pip"), "__version__", None),
}))
`;

/**
 * Finds the interpreters of this machine from 3.8 on, one per minor version, newest first. Searches ESD_PYTHONS, or else PATH and pyenv.
 * Runs each candidate and ignores those that fail, such as pyenv shims of an inactive version.
 *
 * @returns {Promise<Interpreter[]>}
 */
export async function findInterpreters(env = process.env) {
  const found = (await Promise.all(candidates(env).map(probed))).filter((one) => one !== undefined);
  found.sort((a, b) => b.minor - a.minor || patchOf(b) - patchOf(a));
  return found.filter(({ minor }, index) => minor !== found[index - 1]?.minor);
}

export function completeInterpreter(interpreters) {
  return interpreters[0]?.minor >= COMPLETE_MINOR ? interpreters[0] : undefined;
}

/** Returns a message that `what` is skipped because an interpreter is missing, and how to get one. */
export function withoutComplete(what, interpreters) {
  const newest =
    interpreters[0] === undefined
      ? 'no Python from 3.8 on was found'
      : `the newest found is ${interpreters[0].version}`;
  return (
    `${what}: skipped, because Python 3.${COMPLETE_MINOR} to 3.${NEWEST_MINOR} is missing (${newest}). ` +
    'Install it, for example with `apt install python3` or `pyenv install 3.13`, or set ESD_PYTHONS=/path/to/python3.'
  );
}

function candidates(env) {
  if (env.ESD_PYTHONS !== undefined) return env.ESD_PYTHONS.split(delimiter).filter((path) => path !== '');
  const minors = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => OLDEST_MINOR + index);
  const names = ['python3', ...minors.map((minor) => `python3.${minor}`)];
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const versions = join(env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = existsSync(versions)
    ? readdirSync(versions).map((name) => join(versions, name, 'bin', 'python3'))
    : [];
  return [...new Set([...onPath, ...ofPyenv])].filter((path) => existsSync(path));
}

/** @returns {Promise<Interpreter | undefined>} */
async function probed(path) {
  try {
    const { stdout } = await run(path, ['-I', '-c', probe], { timeout: 60_000 });
    const { implementation, release, major, venv, ...interpreter } = JSON.parse(stdout);
    const fits = major === 3 && interpreter.minor >= OLDEST_MINOR && interpreter.minor <= NEWEST_MINOR;
    return implementation === 'cpython' && release && venv && fits ? { path, ...interpreter } : undefined;
  } catch {
    return undefined;
  }
}

function patchOf({ version }) {
  return Number(version.split('.')[2]);
}
