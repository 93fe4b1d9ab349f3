import { expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { expectGoodLayout, inBrowser, untilComplete } from '../browser.ts';
import { eventually } from '@esd/testing/eventually';
import { PLAIN_PAGES } from '../support/pages.ts';

const { url } = await sharedStack();

const MISSING = '/no-such-page';
const PAGES = [
  ...PLAIN_PAGES,
  '/record/207',
  '/record/1?version=v1.0.0',
  '/search?q=PVFD+PVDF+150+mm',
  '/feedback?record=207',
  MISSING,
  `/paper/${encodeURIComponent('https://www.sciencedirect.com/science/article/pii/S0927776511005522')}`,
  await queryPage(),
];

/** Creates a public query. Returns the path of its page. */
async function queryPage(): Promise<string> {
  const { json } = await request(`${url}/public/queries`, {
    method: 'POST',
    body: { filter: { polymer: '=PVDF', fiberDiameterMax: 500 } },
  });
  return `/query/${z.object({ id: z.string() }).parse(json).id}`;
}

inBrowser(url, 'static pages', (open) => {
  test.each(PAGES)('%s is accessible in light and dark, and fits every width', async (path) => {
    const { page, problems, context } = await open(path);
    await expectGoodLayout(page);
    // The browser reports the status of a missing page.
    expect(path === MISSING ? problems.slice(1) : problems).toEqual([]);
    await context.close();
  });

  test('the first Tab reaches the skip link, and the next element is in the content', async () => {
    const { page, context } = await open('/release/v1.0.0');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    await context.close();
  });

  test('a view of a release and of a record is counted once, other pages are not counted', async () => {
    const views = async (): Promise<number> => {
      const answer = await fetch(`${url}/analytics/usage?version=v1.0.0`);
      return z.object({ views: z.int() }).parse(await answer.json()).views;
    };
    const before = await views();
    const { page, context } = await open('/releases');
    const reported: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/analytics/view')) reported.push(request.postDataJSON());
    });
    for (const path of ['/release/v1.0.0', '/record/207?version=v1.0.0']) {
      await Promise.all([page.waitForRequest('**/analytics/view'), page.goto(url + path)]);
    }
    await page.goto(`${url}/`);
    expect(reported).toEqual([{ version: 'v1.0.0' }, { version: 'v1.0.0', recordId: 207 }]);
    // Other tests may view the same page at the same time.
    await eventually(views, (counted) => counted >= before + 2);
    await context.close();
  });
});

inBrowser(url, 'without script', (open) => {
  test('a user without script gets from the home page to a file of a release', async () => {
    const { page, context } = await open('/', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Releases', exact: true }).first().click();
    await page.getByRole('link', { name: 'v1.0.0' }).click();
    await page.waitForURL('**/release/v1.0.0');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('v1.0.0');
    expect(await page.getByRole('heading', { name: 'How to cite this release' }).isVisible()).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'records.parquet' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.parquet$/);
    await context.close();
  });

  test('the search, the units of a record, and the table of the home page work', async () => {
    const { page, context } = await open('/', { javaScriptEnabled: false });
    await untilComplete(page);
    await page.getByText('Table', { exact: true }).click();
    expect(await page.getByRole('row', { name: /^PVDF 190 158 32 55 501 4800/ }).isVisible()).toBe(true);
    await page.getByRole('searchbox').fill('207');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByLabel('Units').selectOption('As published');
    expect(
      (await page.getByRole('row', { name: /^Diameter variation/ }).innerText()).replaceAll(/\s+/g, ' '),
    ).toContain('122 nm = 9.44%');
    await page.getByRole('link', { name: 'Report a problem with this record' }).click();
    await page.getByText('This form requires JavaScript.').waitFor();
    expect(await page.getByRole('button', { name: 'Send feedback' }).isVisible()).toBe(false);
    await context.close();
  });

  test('print hides controls, and ends with the URL and the citation', async () => {
    const { page, context } = await open('/record/207');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Copy citation' }).isVisible()).toBe(false);
    expect(await page.getByLabel('Units').isVisible()).toBe(false);
    expect(await page.locator('.print-only').innerText()).toContain(`${url}/record/207 · The authors`);
    await context.close();
  });
});
