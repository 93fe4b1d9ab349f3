/**
 * The processor time that the whole test run may take. `npm run test:profile -- --all` writes it to test-budget.json; in CI,
 * `npm run test:all` fails if it needs a tenth more. So a change that makes the tests slower also changes the file.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { node, root } from './run.mjs';

const FILE = join(root, 'tools', 'test-budget.json');
const ALLOWED_GROWTH = 1.1;
const CALIBRATE_EVERY_MS = 60_000;
/** Clock ticks per second in /proc. */
const TICKS = 100;

/** A fixed program of about 0.3 s; prints its processor seconds. They tell a slow or busy machine from slower tests. */
const CALIBRATION = `
  const { createHash } = require('node:crypto');
  let text = '';
  for (let round = 0; round < 240; round += 1) {
    const rows = Array.from({ length: 500 }, (_, at) => ({ id: at * 7919 % 503, name: 'row ' + at, value: at / 3 }));
    text = JSON.stringify(rows.sort((a, b) => a.id - b.id)).replaceAll(/"id":(\\d+)/g, '"id":"$1"');
    text = createHash('sha256').update(text).digest('hex') + JSON.parse(text).length;
  }
  const { user, system } = process.cpuUsage();
  console.log((user + system) / 1e6, text.length);
`;

/**
 * Measures how long the calibration program takes during a run. Returns a function that ends the measurement and returns its mean in
 * processor seconds.
 */
export function startCalibration() {
  const seconds = [];
  const measure = async () => {
    const { stdout } = await promisify(execFile)(node, ['-e', CALIBRATION], { env: {}, timeout: 60_000 });
    seconds.push(Number(stdout.split(' ')[0]));
  };
  const timer = setInterval(() => void measure().catch(console.error), CALIBRATE_EVERY_MS);
  const first = measure();
  return async () => {
    clearInterval(timer);
    await first;
    return seconds.reduce((sum, value) => sum + value, 0) / seconds.length;
  };
}

/** Returns the processor seconds of all processes that this one has started and that have ended; undefined without /proc. */
export function secondsOfChildren() {
  if (!existsSync('/proc/self/stat')) return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Writes the budget: the processor seconds of the run, the calibration, and the parts and memory that the profile found. */
export function writeBudget(processorSeconds, calibrationSeconds, profile) {
  const budget = { processorSeconds: Math.round(processorSeconds), calibrationSeconds, ...profile };
  writeFileSync(FILE, `${JSON.stringify(budget, null, 2)}\n`);
}

/** Returns a message if the run needed more than the budget allows on a machine of this speed. Without a budget, it only prints the time. */
export function excessOf(processorSeconds, calibrationSeconds) {
  if (!existsSync(FILE)) {
    console.log(
      `The tests took ${Math.round(processorSeconds)} processor seconds. There is no tools/test-budget.json to compare with.`,
    );
    return undefined;
  }
  const budget = JSON.parse(readFileSync(FILE, 'utf8'));
  const expected = budget.processorSeconds * (calibrationSeconds / budget.calibrationSeconds);
  if (!(processorSeconds > ALLOWED_GROWTH * expected)) return undefined;
  const growth = Math.round((processorSeconds / expected - 1) * 100);
  return `The tests took ${Math.round(processorSeconds)} processor seconds, ${growth} % more than tools/test-budget.json allows on this machine. Make them cheaper, or run \`npm run test:profile -- --all\` and commit the file.`;
}
