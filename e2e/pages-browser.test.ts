import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import { browserProgram } from '@esd/testing/browser';
import { sharedStack } from '@esd/testing/shared-stack';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const program = browserProgram();
const { url } = await sharedStack();

let browser: Browser;
beforeAll(async () => {
  if (program === undefined) return;
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'], timeout: 120_000 });
}, 180_000);
afterAll(() => browser?.close());

/** Opens a page and tells what the browser complained of: other origins, the content security policy, errors. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url + path);
  return { page, complaints };
}

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const PAGES = ['/', '/releases', '/release/v1.0.0', '/release/latest', '/record/207', '/record/1?version=v1.0.0'];

(program === undefined ? describe.skip : describe)('in a browser', () => {
  test.each(PAGES)('%s is accessible in light and dark, wide and narrow, and asks nobody else', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 320]) {
        const { page, complaints } = await open(path, { colorScheme, viewport: { width, height: 900 } });
        expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([width, overflow, complaints]).toEqual([width, 0, []]);
        await page.context().close();
      }
    }
  });

  test('from the start page a person gets to a record of a paper without script', async () => {
    const { page } = await open('/', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Releases', exact: true }).first().click();
    await page.getByRole('link', { name: 'v1.0.0' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('v1.0.0');
    expect(await page.getByRole('heading', { name: 'How to cite this release' }).isVisible()).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'records.parquet' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.parquet$/);
    await page.context().close();
  });

  test('the keyboard reaches the content first, and then everything in order', async () => {
    const { page } = await open('/release/v1.0.0');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    await page.context().close();
  });

  test('a page that is not there says so', async () => {
    const { page } = await open('/record/99999');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('There is nothing at this address');
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
});
