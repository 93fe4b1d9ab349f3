import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * The program of the browser for the tests of pages: the one that CHROMIUM names, or one of the usual places. Undefined, with a
 * line that says how to get it, where there is none; where CI is set that throws.
 */
export function browserProgram(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM: chosen, CI: ci } = env;
  const found = chosen ?? PLACES.find(existsSync);
  if (found !== undefined && existsSync(found)) return found;
  const problem = `There is no ${chosen ?? 'Chromium'}: the pages are not tested in a browser. Install it, for example with apt-get install chromium, or set CHROMIUM to its program.`;
  if (ci !== undefined && ci !== '') throw new Error(problem);
  console.warn(problem);
  return undefined;
}
