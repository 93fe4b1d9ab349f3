import { existsSync } from 'node:fs';

// The headless shell is Chromium without the windows of a browser: a page takes half of the processor time.
const BROWSER_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Returns the path of the browser: CHROMIUM or a default path. If it is missing, prints a warning, or throws if CI is set. */
export function browserProgram(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM: chosen, CI: ci } = env;
  const found = chosen ?? BROWSER_PATHS.find(existsSync);
  if (found !== undefined && existsSync(found)) return found;
  const problem = `${chosen ?? 'Chromium'} was not found, so the web pages are not tested in a browser. Install it, for example with \`apt-get install chromium\`, or set CHROMIUM to its path.`;
  if (ci !== undefined && ci !== '') throw new Error(problem);
  console.warn(problem);
  return undefined;
}
