import { existsSync } from 'node:fs';

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const BROWSER_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Returns the path of the browser: CHROMIUM or a default path. Chromium's headless shell comes first, because a page takes half of the
 * processor time there; `isWhole` requests a browser that loads typefaces as users see it. If none exists, prints a warning, or throws if
 * CI is set.
 */
export function browserProgram(isWhole = false, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM: chosen, CI: ci } = env;
  const found = chosen ?? [...(isWhole ? [] : [HEADLESS_SHELL]), ...BROWSER_PATHS].find(existsSync);
  if (found !== undefined && existsSync(found)) return found;
  const problem = `${chosen ?? 'Chromium'} was not found, so the web pages are not tested in a browser. Install it, for example with \`apt-get install chromium\`, or set CHROMIUM to its path.`;
  if (ci !== undefined && ci !== '') throw new Error(problem);
  console.warn(problem);
  return undefined;
}
