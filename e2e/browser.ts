import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { browserProgram } from '@esd/testing/browser';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { eventually } from '@esd/testing/eventually';

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
 * the browser; `isWhole` excludes its headless shell.
 */
export function inBrowser(
  url: string,
  name: string,
  tests: (open: OpenBrowserPage) => void,
  { args = [], isWhole = false }: { args?: readonly string[]; isWhole?: boolean } = {},
): void {
  const program = browserProgram(isWhole);
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

/**
 * Returns the accessibility violations that axe finds in the current page, or in its element `within`. Waits for the results
 * that the page loads, because it dims the old ones, and for transitions to the colors of another theme.
 */
export async function violations(page: Page, within?: string): Promise<string[]> {
  await untilTrue(
    page,
    `document.querySelector('[aria-busy="true"]') === null &&
      document.getAnimations().every((one) => !(one instanceof CSSTransition) || one.playState !== 'running')`,
  );
  // Without this option, a large page returns megabytes of elements that pass.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  const results = await (within === undefined ? axe : axe.include(within)).analyze();
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/**
 * Expects that a page is not wider than its window at any width, and that axe finds nothing. The width decides about the layout and
 * the theme about the colors, so each is checked once.
 */
export async function expectGoodLayout(page: Page): Promise<void> {
  for (const [width, colorScheme] of [[1680], [1280, 'light'], [768], [375], [320, 'dark']] as const) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await overflow(page)]).toEqual([width, 0]);
    if (colorScheme === undefined) continue;
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
  }
}

/** Waits until an expression is true in the page. The policy of the pages lets `page.waitForFunction` evaluate a text only once. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await eventually(
    () => page.evaluate(expression),
    (value) => value === true,
  );
}

/** Waits until the page shows a notice with this text. Call it before the notice can appear, because it disappears soon. */
export async function noticed(page: Page, text: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const notices = document.getElementById('notices');
    const look = () => notices.textContent.includes(${JSON.stringify(text)}) && resolve();
    new MutationObserver(look).observe(notices, { childList: true, subtree: true, characterData: true });
    look();
  })`);
}

/** Reloads the start page until it has all its data. The gateway omits data that takes longer than a second. */
export async function untilComplete(page: Page): Promise<void> {
  await eventually(
    async () => {
      const isComplete = (await page.locator('#diameters').count()) > 0;
      if (!isComplete) await page.reload();
      return isComplete;
    },
    (isComplete) => isComplete,
  );
}

/** Returns the number of pixels by which the page is wider than its window. */
export function overflow(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
