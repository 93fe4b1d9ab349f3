import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An interpreter that runs, and can make an environment.
 *
 * @typedef {{ path: string, version: string, minor: number, ensurepip: boolean, pip: string | null }} Interpreter
 *   `version`: for example 3.13.0, of which `minor` is 13; `ensurepip`: it can put pip into an environment; `pip`: the version of its own
 */

/** The newest that the pinned packages of clients/python/requirements have wheels for. */
const NEWEST_MINOR = 15;
const OLDEST_MINOR = 8;

/** Everything on which the newest pandas runs can check the whole client. */
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
 * The interpreters of this machine from 3.8 on, one of each minor version, newest first: those that ESD_PYTHONS names, else those
 * on the PATH and of pyenv. Each is run to see what it is; what does not run, such as a shim of a version that is not chosen, is none.
 *
 * @returns {Promise<Interpreter[]>}
 */
export async function findInterpreters(env = process.env) {
  const found = (await Promise.all(candidates(env).map(probed))).filter((one) => one !== undefined);
  found.sort((a, b) => b.minor - a.minor || patchOf(b) - patchOf(a));
  return found.filter(({ minor }, index) => minor !== found[index - 1]?.minor);
}

/** The newest interpreter, if it can run everything; else undefined. */
export function completeInterpreter(interpreters) {
  return interpreters[0]?.minor >= COMPLETE_MINOR ? interpreters[0] : undefined;
}

/** One line that says what is left out without an interpreter that can run everything, and how to get one. */
export function withoutComplete(what, interpreters) {
  const newest =
    interpreters[0] === undefined ? 'there is none from 3.8 on' : `the newest here is ${interpreters[0].version}`;
  return (
    `${what}: left out, for lack of Python 3.${COMPLETE_MINOR} to 3.${NEWEST_MINOR} (${newest}). ` +
    'Install one, for example with apt install python3 or pyenv install 3.13, or name it: ESD_PYTHONS=/path/to/python3.'
  );
}

/** The paths to try. */
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
