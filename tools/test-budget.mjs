/**
 * The processor time that the whole test run may take. `npm run test:profile -- --all` writes it to test-budget.json; in CI,
 * `npm run test:all` fails if it needs a tenth more. So a change that makes the tests slower also changes the file.
 *
 * The reference is the project `pure`, whose tests need no server: they run among the others, and become slower with them on a slow or
 * busy machine. A small program that runs each minute does not: where it took 1.17 times as long, all tests took 1.45 times as long.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const FILE = join(root, 'tools', 'test-budget.json');
const ALLOWED_GROWTH = 1.1;

/** Writes the budget: the processor seconds of each project, and the memory in MB. */
export function writeBudget(profile) {
  writeFileSync(FILE, `${JSON.stringify(profile, null, 2)}\n`);
}

/** Prints the measured processor time. Returns a message if it exceeds the budget. */
export function excessOf({ projects }) {
  const budget = JSON.parse(readFileSync(FILE, 'utf8'));
  const [used, allowed] = [multipleOf(projects), multipleOf(budget.projects)];
  const text = `The tests with servers took ${used.toFixed(1)} times the processor time of the tests without, after ${allowed.toFixed(1)} times in tools/test-budget.json.`;
  console.log(text);
  if (!(used > ALLOWED_GROWTH * allowed)) return undefined;
  return `${text} Make them cheaper, or run \`npm run test:profile -- --all\` and commit the file.`;
}

/** Returns the processor seconds of all other projects as a multiple of those of `pure`. */
function multipleOf({ pure, ...others }) {
  return Object.values(others).reduce((sum, seconds) => sum + seconds, 0) / pure;
}
