import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { inBrowser, overflow, violations } from '../browser.ts';
import { eventually } from '../support/eventually.ts';

const { url } = await sharedStack();

const PAGES = ['/', '/releases', '/release/v1.0.0', '/record/207'];

inBrowser(url, 'in a browser', (open) => {
  test.each(PAGES)(
    '%s is accessible in light and dark, wide and narrow, without requests to other origins',
    async (path) => {
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 320],
      ] as const) {
        const { page, problems, context } = await open(path, { colorScheme, viewport: { width, height: 900 } });
        expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
        expect([width, await overflow(page), problems]).toEqual([width, 0, []]);
        await context.close();
      }
    },
  );

  test('a user without script gets from the home page to a file of a release', async () => {
    const { page, context } = await open('/', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Releases', exact: true }).first().click();
    await page.getByRole('link', { name: 'v1.0.0' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('v1.0.0');
    expect(await page.getByRole('heading', { name: 'How to cite this release' }).isVisible()).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'records.parquet' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.parquet$/);
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

  test('the selected theme applies to the next page', async () => {
    const { page, context, problems } = await open('/releases', { colorScheme: 'light' });
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await paper();
    // From the setting of the system to light, then to dark.
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.getByRole('link', { name: 'v1.0.0' }).first().click();
    await page.waitForURL('**/release/v1.0.0');
    expect(await paper()).toBe(dark);
    expect(problems).toEqual([]);
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

  test('an unknown record shows an error page', async () => {
    const { page, context } = await open('/record/99999');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Page not found');
    expect(await violations(page)).toEqual([]);
    await context.close();
  });
});
