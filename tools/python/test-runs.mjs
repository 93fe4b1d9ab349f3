import { Stop } from '../stop.mjs';
import { completeInterpreter, findInterpreters, withoutComplete } from './interpreters.mjs';

/**
 * A run of pytest in an environment.
 *
 * @typedef {{ environment: import('./environments.mjs').Environment, arguments_: string[] }} Run
 */

/** pandas 2.0.3 has no wheels for a later one. */
const NEWEST_MINOR_OF_OLDEST_SET = 8;

/**
 * The client on the newest Python with the newest packages; none, with a line on the terminal, where that Python is missing. Throws a
 * Stop with that line in CI, where nothing may be left out.
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
 * The client on every other Python, its notebooks and its packages.
 *
 * @param {string[]} arguments_ for pytest, which then runs them on the other Pythons alone
 * @returns {Promise<Run[]>}
 */
export async function otherRuns(arguments_) {
  const interpreters = await findInterpreters();
  const newest = completeInterpreter(interpreters);
  const others = interpreters
    .filter((interpreter) => interpreter !== newest)
    .map((interpreter) => {
      const set = interpreter.minor <= NEWEST_MINOR_OF_OLDEST_SET ? 'oldest' : 'newest';
      return { environment: environmentOf(interpreter, set, interpreters), arguments_ };
    });
  if (arguments_.length > 0) return others;
  if (newest === undefined) return [...others, ...leaveOut("the Python client's notebooks and packages", interpreters)];
  const alone = ['notebooks', 'package'].map((set) => {
    return { environment: environmentOf(newest, set, interpreters), arguments_: [`tests/${set}`] };
  });
  return [...others, ...alone];
}

/** The environment of the linters; undefined, with a line on the terminal, where the Python for it is missing. */
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
