import { afterAll, beforeAll, describe } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { browserProgram } from '@esd/testing/browser';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const program = browserProgram();
const ACTION_MS = 60_000;
const START_MS = 120_000;

/**
 * A page in its own browser context, with the violations so far: requests to other origins, content security policy, script
 * errors.
 */
export interface OpenPage {
  page: Page;
  context: BrowserContext;
  problems: string[];
}

/** Opens a path below the root of the service. */
export type OpenBrowserPage = (path: string, options?: BrowserContextOptions) => Promise<OpenPage>;

/**
 * Describes tests in one browser. Without a browser, the tests are skipped with one line that says why. `args` are arguments of
 * the browser.
 */
export function inBrowser(
  url: string,
  name: string,
  tests: (open: OpenBrowserPage) => void,
  { args = [] }: { args?: readonly string[] } = {},
): void {
  (program === undefined ? describe.skip : describe)(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      if (program === undefined) return;
      browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', ...args], timeout: START_MS });
    }, 2 * START_MS);
    afterAll(() => browser?.close());
    tests(async (path, options = {}) => {
      if (!browser) throw new Error('there is no browser');
      const context = await browser.newContext(options);
      context.setDefaultTimeout(ACTION_MS);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => {
        if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
          problems.push(`requests ${request.url()}`);
      });
      await page.goto(url + path);
      return { page, context, problems };
    });
  });
}

/** Returns the accessibility violations that axe finds in the current page. */
export async function violations(page: Page): Promise<string[]> {
  // Without this option, a large page returns megabytes of elements that pass.
  const found = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Returns the number of pixels by which the page is wider than its window. */
export function overflow(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
