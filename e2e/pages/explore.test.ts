import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Page } from 'playwright-core';
import { expectGoodLayout, inBrowser, noticed } from '../browser.ts';

const { url } = await sharedStack();

const FILTER = 'polymer=%3DPVDF&voltageMin=5&voltageMax=30';
const VIEWS = [
  ...['table', 'map', 'scatter', 'coverage', 'papers', 'nearest', 'compare'].map((tab) => `${FILTER}&tab=${tab}`),
  'polymer=%3DPVDF&fiberDiameterMax=500&tab=nearest&recipe.voltage=15&recipe.solvent=DMF&repeats=all',
  'polymer=%3DPVDF&fiberDiameterMax=500',
  'tab=compare&compare=1,402,602',
  'tab=map&mapBy=diameter',
  'panels=solvent&color=polymer',
  'polymer=%3DPLA&voltageMin=45&polymr=x',
];

const ready = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('#app details.filters').waitFor({ state: 'attached' });
};
const shows = (page: Page, count: number) =>
  page
    .getByRole('heading', { level: 1, name: new RegExp(`^${count} experiments?(?: \\(\\d+ distinct\\))?$`) })
    .waitFor();

inBrowser(url, '/explore in every view', (open) => {
  test.each(VIEWS)('?%s is accessible in light and dark, and fits every width', async (query) => {
    const { page, problems, context } = await open(`/explore?${query}`);
    await ready(page);
    await expectGoodLayout(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('on a slow network a selection shows immediately, then a waiting message, and a second selection adds to it', async () => {
    const { page, context } = await open('/explore');
    await page
      .getByRole('checkbox', { name: /^Compare record/ })
      .first()
      .waitFor();
    const cdp = await context.newCDPSession(page);
    const slowness = (latency: number) =>
      cdp.send('Network.emulateNetworkConditions', {
        offline: false,
        latency,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
    await cdp.send('Network.enable');
    // Longer than the test: the first response never arrives.
    await slowness(600_000);
    await page.getByRole('link', { name: '(PVDF) 190' }).click();
    await page.getByRole('link', { name: '(PVDF) ✓ 190' }).waitFor();
    await page.getByRole('link', { name: 'Remove filter: Polymer PVDF' }).waitFor();
    await page.getByText('Still counting…').waitFor();
    await shows(page, 809);
    expect(await page.locator('.results > [aria-busy=true]').count()).toBe(1);
    await slowness(0);
    // The results still show the previous response.
    await page.getByRole('link', { name: 'Fiber diameter', exact: true }).click();
    await shows(page, 351);
    await page.getByRole('columnheader', { name: 'Fiber diameter ▲ nm' }).waitFor();
    expect([...new URL(page.url()).searchParams]).toEqual([
      ['polymer', '=PVDF'],
      ['sort', 'fiberDiameter'],
    ]);
    expect(await page.locator('[aria-busy=true]').count()).toBe(0);
    // Back undoes one step, and a reload shows the same view.
    await page.goBack();
    await page.getByRole('columnheader', { name: 'Fiber diameter nm' }).waitFor();
    await page.reload();
    await shows(page, 351);
    await context.close();
  });

  test('a script that fails to load shows a message and loads after a retry', async () => {
    const { page, context } = await open('/explore');
    await page
      .getByRole('checkbox', { name: /^Compare record/ })
      .first()
      .waitFor();
    const scripts = /\/assets\/(rare-views|save-plot)-.*\.js$/;
    await page.route(scripts, (route) => route.abort());
    await page.getByRole('button', { name: 'Save as SVG' }).first().click();
    await page.getByText('The image export could not be loaded.').waitFor();
    await page.getByRole('link', { name: 'Coverage', exact: true }).click();
    await page.getByText('This view could not be loaded. Check your connection and try again.').waitFor();
    await page.unroute(scripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Reported values' }).waitFor();
    await page.goBack();
    await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).first().click(),
    ]);
    await context.close();
  });

  test('the papers of a filter are saved as CSV and copied as DOIs', async () => {
    const { page, context, problems } = await open(`/explore?${FILTER}&tab=papers`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('heading', { name: '29 source papers' }).waitFor();
    // The buttons of a tab act once its script is loaded.
    await page.waitForLoadState('networkidle');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save list as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('papers.csv');
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(lines).toHaveLength(31);
    const quartiles = 'fiber_diameter_q25_nm,fiber_diameter_median_nm,fiber_diameter_q75_nm';
    expect(lines[0]).toBe(`paper,title,authors,year,journal,experiments,not_stable,polymers,${quartiles}`);
    await page.getByText('Saved 29 papers.').waitFor();
    await page.getByRole('button', { name: 'Copy DOIs' }).click();
    await page.getByText('Copied 29 papers.').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
    expect(copied).toEqual(lines.slice(1, -1).map((line) => line.split(',')[0]));
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the page retries after 429 and 503, and offers a retry after 500', async () => {
    const { page, context } = await open('/explore');
    await page
      .getByRole('checkbox', { name: /^Compare record/ })
      .first()
      .waitFor();
    const answers = [429, 503, 500];
    await page.route(/parts=/, async (route) => {
      const status = answers.shift();
      if (status === undefined) await route.continue();
      else
        await route.fulfill({
          status,
          headers: { 'Retry-After': '1' },
          json: { code: 'X', message: 'Broken.', requestId: 'r-1' },
        });
    });
    const notices = [noticed(page, 'Too many requests from this network.'), noticed(page, 'The service is busy.')];
    await page.getByRole('link', { name: '(PAN) 62' }).click();
    await Promise.all(notices);
    await page.getByText('Broken. Reference r-1.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page, 62);
    await context.close();
  });

  test('the map is available as a table, and columns can be selected', async () => {
    const { page, context, problems } = await open(`/explore?${FILTER}`);
    await page
      .getByRole('checkbox', { name: /^Compare record/ })
      .first()
      .waitFor();
    const map = page.getByRole('figure', { name: 'Processing window' });
    await map.getByRole('button', { name: 'Table', exact: true }).click();
    expect(await map.getByRole('row').count()).toBe(48);
    await page.getByRole('button', { name: /^Columns \(13 of/ }).click();
    await page.getByRole('checkbox', { name: 'Variation', exact: false }).first().uncheck();
    await page.getByRole('button', { name: 'Show these columns' }).click();
    await page.getByRole('button', { name: /^Columns \(12 of/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('columns')).not.toContain('variation');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('filters, sorting, and paging work without script', async () => {
    const { page, context } = await open('/explore', { javaScriptEnabled: false });
    await page.getByRole('link', { name: '(PVDF) 190' }).click();
    await shows(page, 351);
    await page.getByRole('textbox', { name: 'Voltage, to' }).fill('10');
    await page.getByRole('textbox', { name: 'Voltage, to' }).press('Enter');
    await page.waitForURL(/voltageMax=10/);
    await page.getByRole('link', { name: 'Fiber diameter', exact: true }).click();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForURL(/page=2/);
    expect(await page.getByText('16–30 of').isVisible()).toBe(true);
    await context.close();
  });
});
