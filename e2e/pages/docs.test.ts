import { describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Page } from 'playwright-core';
import { inBrowser, overflow, violations } from '../browser.ts';
import { newContributor } from '../support/accounts.ts';
import { apiAt, isShareUsedUp } from '../support/api.ts';
import { eventually } from '@esd/testing/eventually';

const { url, dataDir } = await sharedStack();
const index = await request(`${url}/docs`, { headers: { accept: 'text/html' } });
const PAGES = [...new Set([...index.text.matchAll(/href="(\/docs(?:\/[\w-]+)?)"/g)].map(([, path = '']) => path))];
const MAX_BYTES = 60_000;

describe.each(PAGES)('%s', (path) => {
  test('is small, with all its files except the fonts', async () => {
    const gzip = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const page = await fetch(url + path, { headers: gzip });
    let bytes = Number(page.headers.get('content-length'));
    const text = await page.text();
    const files = new Set([...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = '']) => file));
    expect(files.size).toBeGreaterThan(3);
    for (const file of files) {
      // Phones load this icon when a user adds the page to the home screen.
      if (/touch-icon|\.woff2$/.test(file)) continue;
      bytes += Number((await fetch(url + file, { headers: gzip })).headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });
});

inBrowser(url, 'the API documentation', (open) => {
  test.each(PAGES)('%s is accessible in light and dark, wide and narrow', async (path) => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const { page, problems, context } = await open(path, { colorScheme, viewport: { width, height: 900 } });
      const unfold = (parts: string, isOpen: boolean) =>
        page.evaluate(`for (const part of document.querySelectorAll('${parts}')) part.open = ${isOpen}`);
      await unfold('details', true);
      expect([width, await overflow(page)]).toEqual([width, 0]);
      // axe takes 20 s for an unfolded page, and all operations have the same parts.
      await unfold('section ~ section details', false);
      expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  const section = (page: Page, id: string) => page.locator(`section[aria-labelledby="${id}"]`);

  test('a user without script finds an operation, reads its example in Python, and sends it', async () => {
    const { page, context } = await open('/docs', { javaScriptEnabled: false });
    await page.getByRole('searchbox').fill('nearest');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.getByText('2 of ', { exact: false }).first().textContent()).toContain('match “nearest”');
    await page.getByRole('link', { name: 'GET /public/dataset/nearest' }).click();
    await page.waitForURL('**/docs/analysis#getPublicDatasetNearest');
    const part = section(page, 'getPublicDatasetNearest');
    expect(await part.getByText('client.nearest(').isVisible()).toBe(false);
    await part.getByText('Python', { exact: true }).click();
    expect(await part.getByText('client.nearest(').isVisible()).toBe(true);
    await part.getByText('Try it').click();
    expect(await part.getByLabel('exclude').isVisible()).toBe(false);
    await part.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/public/dataset/nearest?recipe=*');
    await eventually(
      async () => {
        const text = await page.locator('body').innerText();
        // The share of analyses of this address can be used up by other test files.
        if (isShareUsedUp(text)) await page.reload();
        return text;
      },
      (text) => text.includes('"neighbors"'),
    );
    await page.goto(`${url}/docs/data`);
    const own = section(page, 'getDataMyRecords');
    await own.getByText('Try it').click();
    expect(await own.getByText('Sending a token requires JavaScript.').isVisible()).toBe(true);
    expect(await own.getByRole('button', { name: 'Send' }).isVisible()).toBe(false);
    await context.close();
  });

  test('with script, the response appears below the form and has the focus', async () => {
    const { page, context, problems } = await open('/docs/dataset#getPublicDatasetVersion');
    const part = section(page, 'getPublicDatasetVersion');
    await part.getByText('Try it').click();
    await part.getByLabel('limit').fill('2');
    await part.getByRole('button', { name: 'Send' }).click();
    const answer = part.getByRole('heading', { name: /^200 OK in \d+\sms$/ });
    await answer.waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H4');
    expect(await part.getByText('GET /public/dataset/v1.0.0?limit=2').isVisible()).toBe(true);
    await part.getByText('Response headers').click();
    expect(await part.getByText(/^etag: "/m).isVisible()).toBe(true);
    expect(await part.locator('.answer > pre').innerText()).toContain('"recordId": 1,');
    // Another release, which does not exist.
    await part.getByLabel('version').fill('v9.9.9');
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByRole('heading', { name: /^404 Not Found/ }).waitFor();
    expect(await part.locator('.answer > pre').innerText()).toContain('VERSION_NOT_FOUND');
    expect(await violations(page)).toEqual([]);
    expect(page.url()).toBe(`${url}/docs/dataset#getPublicDatasetVersion`);
    expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
    await context.close();
  });

  test('a long response is cut off, and a file is a link', async () => {
    const { page, context } = await open('/docs/dataset');
    const part = section(page, 'getPublicDatasetExport');
    await part.getByText('Try it').click();
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByText('longer than the first').waitFor();
    expect((await part.locator('.answer > pre').innerText()).length).toBeLessThanOrEqual(65_536);
    expect(await part.getByRole('link', { name: 'Open it' }).getAttribute('href')).toContain('format=json');
    await part.getByLabel('format').selectOption('xlsx');
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByText('The response is a file (application/vnd.openxmlformats').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      part.getByRole('link', { name: 'Open it' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.xlsx$/);
    await context.close();
  });

  test('a token is sent only as a header, is shared by the forms of the page, and is stored nowhere', async () => {
    const { token } = await newContributor(apiAt(url), dataDir);
    const { page, context } = await open('/docs/data');
    const urls: string[] = [];
    page.on('request', (sent) => urls.push(sent.url()));
    const part = section(page, 'getDataMyRecordsIds');
    await part.getByText('Try it').click();
    await part.getByRole('button', { name: 'Send' }).click();
    // The token is required.
    expect(await part.locator('.answer').count()).toBe(0);
    await part.getByLabel('Token').fill(token);
    await part.getByRole('button', { name: 'Send' }).click();
    await part.getByRole('heading', { name: /^200 OK/ }).waitFor();
    const other = section(page, 'getDataPending');
    await other.getByText('Try it').click();
    expect(await other.getByLabel('Token').inputValue()).toBe(token);
    expect(urls.filter((sent) => sent.includes(token))).toEqual([]);
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])';
    expect(String(await page.evaluate(kept))).not.toContain(token);
    await page.reload();
    await part.getByText('Try it').click();
    expect(await part.getByLabel('Token').inputValue()).toBe('');
    await context.close();
  });

  test('the chosen language applies to all examples and to the next page', async () => {
    const { page, context } = await open('/docs/analysis');
    await section(page, 'getPublicDatasetFacets').getByText('JavaScript', { exact: true }).click();
    expect(await section(page, 'getPublicDatasetGrid').getByText('new URLSearchParams').isVisible()).toBe(true);
    await page.goto(`${url}/docs/dataset`);
    expect(await section(page, 'getPublicDataset').getByText('new URLSearchParams').isVisible()).toBe(true);
    await context.close();
  });

  test('a link to a structure opens it', async () => {
    const { page, context } = await open('/docs/dataset');
    const structure = page.locator('#schema-Record');
    expect(await structure.isVisible()).toBe(false);
    const part = section(page, 'getPublicDatasetRecordsRecordId');
    await part.getByRole('link', { name: 'Record', exact: true }).click();
    await structure.waitFor();
    expect(await structure.isVisible()).toBe(true);
    await context.close();
  });
});
