import { Stop } from '../stop.mjs';
import { completeInterpreter, findInterpreters, withoutComplete } from './interpreters.mjs';

/**
 * A run of pytest in an environment.
 *
 * @typedef {{ environment: import('./environments.mjs').Environment, arguments_: string[] }} Run
 */

/**
 * The tests on a Python between the oldest and the newest. They import every module and use the packages whose versions differ. The other
 * tests do not depend on the version, so the oldest and the newest Python suffice.
 */
const BETWEEN = ['tests/test_client.py', 'tests/test_frames.py', 'tests/command/test_reading.py'];

/** The newest Python for which pandas 2.0.3 is used. */
const OLDEST_SET_MAX_MINOR = 8;

/**
 * Returns the run on the newest Python with the newest packages. If that Python is missing, prints a line and returns no run; in CI throws
 * a Stop instead.
 *
 * @param {string[]} arguments_ for pytest
 * @returns {Promise<Run[]>}
 */
export async function newestRuns(arguments_) {
  const interpreters = await findInterpreters();
  const newest = completeInterpreter(interpreters);
  if (newest === undefined) return leaveOut('the tests of the Python client', interpreters);
  return [{ environment: environmentOf(newest, 'newest', interpreters), arguments_ }];
}

/**
 * Returns the runs on every other Python, all tests on the oldest one only, and the runs of the notebooks and packages.
 *
 * @param {string[]} arguments_ for pytest; if given, only the other Pythons run
 * @returns {Promise<Run[]>}
 */
export async function otherRuns(arguments_) {
  const interpreters = await findInterpreters();
  const newest = completeInterpreter(interpreters);
  const oldest = Math.min(...interpreters.map(({ minor }) => minor));
  const others = interpreters
    .filter((interpreter) => interpreter !== newest)
    .map((interpreter) => {
      const set = interpreter.minor <= OLDEST_SET_MAX_MINOR ? 'oldest' : 'newest';
      const selected = arguments_.length > 0 || interpreter.minor === oldest ? arguments_ : BETWEEN;
      return { environment: environmentOf(interpreter, set, interpreters), arguments_: selected };
    });
  if (arguments_.length > 0) return others;
  if (newest === undefined) return [...others, ...leaveOut("the Python client's notebooks and packages", interpreters)];
  const alone = ['notebooks', 'package'].map((set) => {
    return { environment: environmentOf(newest, set, interpreters), arguments_: [`tests/${set}`] };
  });
  return [...others, ...alone];
}

/** Returns the environment of the linters. If its Python is missing, prints a line and returns undefined. */
export async function lintEnvironment() {
  const interpreters = await findInterpreters();
  const newest = completeInterpreter(interpreters);
  if (newest !== undefined) return environmentOf(newest, 'lint', interpreters);
  leaveOut('ruff and mypy', interpreters);
  return undefined;
}

function leaveOut(what, interpreters) {
  const line = withoutComplete(what, interpreters);
  if (process.env.CI) throw new Stop(line);
  console.log(line);
  return [];
}

function environmentOf(interpreter, set, interpreters) {
  return { interpreter, set, pip: interpreters.find(({ pip }) => pip !== null && isAtLeast(pip, 22, 3)) };
}

function isAtLeast(version, major, minor) {
  const [actualMajor, actualMinor] = version.split('.').map(Number);
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}
