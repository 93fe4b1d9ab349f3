import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser, overflow, untilComplete, violations } from '../browser.ts';
import { eventually } from '@esd/testing/eventually';

const { url } = await sharedStack();
const run = promisify(execFile);

const WIDE = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 320, height: 640 } };
const FILTER = 'polymer=%3DPVDF&voltageMin=5&voltageMax=30';
/** Filters that no bar has space for. */
const MANY = `${FILTER}&solvent=%3DDMF&isFormationStable=%3Dyes&fiberDiameterMax=900&concentrationMin=5&tipDistMax=40`;

/** Waits until script handles the links. */
const ready = (page: Page) => page.locator('.show-results').waitFor({ state: 'attached' });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const popover = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });
const number = async (page: Page, expression: string) => z.number().parse(await page.evaluate(expression));
const scrolled = (page: Page) => number(page, 'scrollY');
const focusedText = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('the element is not visible');
  return box;
}

inBrowser(url, 'the result bar of /explore', (open) => {
  test('stays at the top, is low at every width, and has no box that scrolls down', async () => {
    for (const query of ['', `?${FILTER}`, `?${MANY}`]) {
      const { page, context, problems } = await open(`/explore${query}`, WIDE);
      await ready(page);
      for (const [width, limit] of [
        [1680, 56],
        [1280, 56],
        [1024, 56],
        [768, 56],
        [375, 96],
        [320, 96],
      ] as const) {
        await page.setViewportSize({ width, height: 700 });
        await page.evaluate('scrollTo(0, 1200)');
        const { x, y, height, width: wide } = await boxOf(page.locator('.result-bar'));
        expect([query, width, x, y, wide]).toEqual([query, width, 0, 0, width]);
        expect([query, width, height]).toEqual([query, width, expect.any(Number)]);
        expect(height).toBeLessThanOrEqual(limit);
        expect([query, width, await overflow(page)]).toEqual([query, width, 0]);
        for (const name of ['Download', 'Cite']) expect(await button(page, name).isVisible()).toBe(true);
        const boxes = `[...document.querySelectorAll('main *')].filter((one) => one.scrollHeight > one.clientHeight + 1
          && /auto|scroll/.test(getComputedStyle(one).overflowY) && getComputedStyle(one).overflowX !== 'auto').length`;
        expect([width, await page.evaluate(boxes)]).toEqual([width, 0]);
      }
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  test('shows the filters that do not fit in a popover, where they are removed one by one', async () => {
    for (const size of [WIDE, PHONE]) {
      const { page, context, problems } = await open(`/explore?${MANY}`, size);
      await ready(page);
      await button(page, 'All 7 filters').click();
      const all = popover(page, 'Active filters');
      expect(await all.getByRole('listitem').count()).toBe(7);
      await all.getByRole('link', { name: 'Remove filter: Solvent DMF' }).click();
      await button(page, 'All 6 filters').waitFor();
      expect(new URL(page.url()).searchParams.has('solvent')).toBe(false);
      expect(await violations(page, '[role="dialog"]')).toEqual([]);
      await all.getByRole('link', { name: 'Clear all' }).click();
      await page.getByRole('heading', { level: 1, name: '809 experiments (648 distinct)' }).waitFor();
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  test('never covers the focused element', async () => {
    for (const size of [WIDE, PHONE]) {
      const { page, context } = await open(`/explore?${FILTER}&tab=table`, size);
      await ready(page);
      // Backwards from the end of the page, elements appear at its top.
      await page.locator('.foot a').last().focus();
      const top = '.result-bar';
      for (let step = 0; step < 120; step += 1) {
        await page.keyboard.press('Shift+Tab');
        const covered = `(() => {
          const element = document.activeElement;
          const { top, bottom, width } = element.getBoundingClientRect();
          const bar = document.querySelector('${top}');
          return !bar.contains(element) && width > 1 && bottom - top < 300 && top < bar.getBoundingClientRect().bottom
            ? element.outerHTML : '';
        })()`;
        expect([step, await page.evaluate(covered)]).toEqual([step, '']);
      }
      await context.close();
    }
  });

  test('the second skip link leads to the results, and the filters begin with the results', async () => {
    const { page, context } = await open('/explore', WIDE);
    await ready(page);
    await page.keyboard.press('Tab');
    expect(await focusedText(page)).toBe('Skip to content');
    await page.keyboard.press('Tab');
    expect(await focusedText(page)).toBe('Skip to results');
    await page.keyboard.press('Enter');
    await eventually(
      () => page.evaluate('document.activeElement.id'),
      (id) => id === 'results',
    );
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('.rail') === null")).toBe(true);
    const heads = await page
      .getByRole('region', { name: 'Filters' })
      .locator('h2, h3, .range > summary')
      .allTextContents();
    expect(heads.slice(0, 3)).toEqual(['Results', 'Stable fiber formation', 'Fiber diameter']);
    expect(heads.indexOf('Settings')).toBeLessThan(heads.indexOf('Polymer'));
    await context.close();
  });

  test('the head of the table stays below the bar', async () => {
    const { page, context } = await open(`/explore?${FILTER}&tab=table`, WIDE);
    await ready(page);
    await page.evaluate('scrollTo(0, 2000)');
    await eventually(
      async () => [await boxOf(page.locator('.records thead')), await boxOf(page.locator('.result-bar'))] as const,
      ([head, bar]) => Math.abs(head.y - (bar.y + bar.height)) < 1,
    );
    await context.close();
  });

  test('from the start page, a user finds, plots, and cites with four clicks, without a jump', async () => {
    const { page, context, problems } = await open('/', {
      ...WIDE,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await untilComplete(page);
    let clicks = 0;
    const click = async (target: Locator) => {
      await target.click();
      clicks += 1;
    };
    await click(page.getByRole('link', { name: 'PVDF', exact: true }).first());
    await page.waitForURL(/\/explore\?polymer=%3DPVDF$/);
    await ready(page);
    await click(page.getByRole('link', { name: 'Scatter', exact: true }));
    const plot = page.getByRole('figure', { name: 'Concentration and fiber diameter' });
    await plot.waitFor();
    expect(await scrolled(page)).toBe(0);
    // Somewhere on the page, the bar is still there.
    await page.evaluate('scrollTo(0, 250)');
    const before = await scrolled(page);
    await click(button(page, 'Cite'));
    const cite = popover(page, 'Cite 351 experiments');
    await cite.getByRole('link', { name: 'permanent link' }).waitFor();
    await click(cite.getByRole('button', { name: 'Copy citation' }));
    await cite
      .getByRole('button', { name: 'Copied' })
      .or(cite.getByRole('status').getByText('Copied'))
      .first()
      .waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/: 351 records with polymer “PVDF”.*\/public\/queries\/[0-9a-f]{32}$/);
    expect([clicks, await scrolled(page)]).toEqual([4, before]);
    await page.keyboard.press('Escape');
    await button(page, 'Download').focus();
    expect(await scrolled(page)).toBe(before);
    expect(problems).toEqual([]);
    await context.close();
  });
});

inBrowser(url, 'the popovers of /explore', (open) => {
  test('offer every file of the displayed records, and the same with code', async () => {
    const { page, context, problems } = await open(`/explore?${FILTER}&sort=-voltage`, WIDE);
    await ready(page);
    await button(page, 'Download').click();
    const files = popover(page, 'Download 328 experiments');
    // The demo has no images.
    await files.getByRole('link', { name: 'CSV' }).waitFor();
    expect(await files.getByRole('link').allTextContents()).toEqual(['CSV', 'Excel', 'Parquet', 'JSON']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files.getByRole('link', { name: 'CSV' }).click(),
    ]);
    const bytes = await readFile(await download.path());
    expect(bytes.toString().trim().split('\r\n')).toHaveLength(329);
    const call = (await files.locator('#call').textContent()) ?? '';
    expect(call).toContain(`${url}/public/dataset/export`);
    const { stdout } = await run('sh', ['-c', `${call.replace('-o experiments.csv', '-o -')} --silent`], {
      maxBuffer: 100_000_000,
    });
    expect(stdout).toBe(bytes.toString());
    await files.getByRole('button', { name: 'Python' }).click();
    expect(await files.locator('#call').textContent()).toContain('"voltageMin": 5, "voltageMax": 30');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('show the sizes of the stored files of a release, and its citation without a query', async () => {
    const { page, context } = await open('/explore?version=v1.0.0', WIDE);
    await ready(page);
    const sent: string[] = [];
    page.on('request', (one) => sent.push(`${one.method()} ${new URL(one.url()).pathname}`));
    await button(page, 'Download').click();
    const files = popover(page, 'Download 809 experiments');
    const csv = files.getByRole('link', { name: /^CSV/ });
    const address = new URL((await csv.getAttribute('href')) ?? '', url).href;
    expect(address).toBe(`${url}/files/v1.0.0/records.csv`);
    const { headers } = await request(address, { method: 'HEAD' });
    const kilobytes = Number(headers.get('content-length')) / 1_000;
    expect(await csv.textContent()).toBe(`CSV${Number(kilobytes.toPrecision(3))}\u202fkB`);
    await page.keyboard.press('Escape');
    await button(page, 'Cite').click();
    const cite = popover(page, 'Cite 809 experiments');
    await expectFormats(cite, `${url}/public/dataset/v1.0.0/metadata`);
    expect(sent.filter((one) => one.startsWith('POST'))).toEqual([]);
    await context.close();
  });

  /** Expects the citation in each format to be that of the metadata. */
  async function expectFormats(cite: Locator, metadata: string): Promise<void> {
    for (const [format, label] of [
      ['text', 'APA'],
      ['bibtex', 'BibTeX'],
      ['ris', 'RIS'],
      ['csl-json', 'CSL-JSON'],
    ] as const) {
      await cite.getByText(label, { exact: true }).first().click();
      const shown = cite.locator(format === 'text' ? '#citation' : `#citation-${format}`);
      await shown.waitFor();
      const text = (await request(`${metadata}?format=${format}`)).text.replaceAll('\r\n', '\n').trim();
      expect((await shown.textContent())?.replaceAll('\r\n', '\n').trim()).toBe(text);
    }
  }

  test('cite a filter with a permanent query, whose metadata are the same, and its papers', async () => {
    const { page, context, problems } = await open(`/explore?${FILTER}`, WIDE);
    await ready(page);
    await button(page, 'Cite').click();
    const cite = popover(page, 'Cite 328 experiments');
    const query = await cite.getByRole('link', { name: 'permanent link' }).getAttribute('href');
    await expectFormats(cite, `${query}/metadata`);
    const papers = cite.getByText('Cite the papers:').getByRole('link', { name: 'BibTeX' });
    const { text } = await request(new URL((await papers.getAttribute('href')) ?? '', url).href);
    expect(text.match(/^@/gm)).toHaveLength(29);
    expect(problems).toEqual([]);
    await context.close();
  });

  test.each([
    [
      '429',
      (page: Page) =>
        page.route('**/public/queries', (route) =>
          route.fulfill({
            status: 429,
            headers: { 'Retry-After': '60' },
            json: { code: 'RATE_LIMITED', message: 'At most 20 new queries a day.' },
          }),
        ),
      'At most 20 new queries a day.',
    ],
    [
      'a lost network',
      (page: Page) => page.route('**/public/queries', (route) => route.abort()),
      'The service did not respond.',
    ],
  ] as const)('after %s, cite the dataset with the filter in words', async (_, breakRequests, reason) => {
    const { page, context } = await open(`/explore?${FILTER}&version=v1.0.0`, WIDE);
    await ready(page);
    await breakRequests(page);
    await button(page, 'Cite').click();
    const cite = popover(page, 'Cite 328 experiments');
    await cite.getByText('The permanent link could not be created. The citation names release v1.0.0').waitFor();
    expect(await cite.getByRole('status').first().textContent()).toContain(reason);
    const { text } = await request(`${url}/public/dataset/v1.0.0/metadata?format=text`);
    expect(await cite.locator('#citation').textContent()).toBe(`${text.trim()} Filter: PVDF, voltage 5–30\u202fkV.`);
    await page.unroute('**/public/queries');
    await cite.getByRole('button', { name: 'Try again' }).click();
    await cite.getByRole('link', { name: 'permanent link' }).waitFor();
    await context.close();
  });

  test('say that their script could not be loaded, cite the dataset anyway, and load after a retry', async () => {
    const { page, context } = await open(`/explore?${FILTER}`, WIDE);
    await ready(page);
    const scripts = /\/assets\/rare-views-.*\.js$/;
    await page.route(scripts, (route) => route.abort());
    await button(page, 'Cite').click();
    const cite = popover(page, 'Cite 328 experiments');
    await cite.getByText('This view could not be loaded. Check your connection and try again.').waitFor();
    expect(await cite.locator('#citation').textContent()).toContain('Filter: PVDF, voltage 5–30\u202fkV.');
    await page.unroute(scripts);
    await cite.getByRole('button', { name: 'Try again' }).click();
    await cite.getByRole('link', { name: 'permanent link' }).waitFor();
    await context.close();
  });

  test('close with Escape and return the focus, fit every width, and are accessible', async () => {
    const { page, context, problems } = await open(`/explore?${FILTER}`, WIDE);
    await ready(page);
    for (const [width, colorScheme] of [[1680], [1280, 'light'], [768], [375], [320, 'dark']] as const) {
      await page.setViewportSize({ width, height: 640 });
      if (colorScheme !== undefined) await page.emulateMedia({ colorScheme });
      for (const [name, mark] of [
        ['Download', 'Get this with code'],
        ['Cite', 'permanent link'],
      ] as const) {
        await button(page, name).focus();
        await page.keyboard.press('Enter');
        const shown = popover(page, `${name} 328 experiments`);
        await shown.getByText(mark, { exact: true }).waitFor();
        const box = await boxOf(shown);
        expect([width, name, box.x >= 0, box.y >= 0]).toEqual([width, name, true, true]);
        expect([width, name, box.x + box.width <= width, box.y + box.height <= 640]).toEqual([width, name, true, true]);
        expect([width, await overflow(page)]).toEqual([width, 0]);
        if (colorScheme !== undefined)
          expect([colorScheme, width, await violations(page, '[role="dialog"]')]).toEqual([colorScheme, width, []]);
        // A click on a text removes the focus from the controls.
        await shown.getByRole('heading').first().click();
        await page.keyboard.press('Escape');
        await shown.waitFor({ state: 'hidden' });
        await eventually(
          () => focusedText(page),
          (text) => text === name,
        );
      }
    }
    expect(problems).toEqual([]);
    await context.close();
  });

  test('work without script', async () => {
    const { page, context } = await open(`/explore?${FILTER}`, { ...WIDE, javaScriptEnabled: false });
    await button(page, 'Download').click();
    const files = popover(page, 'Download 328 experiments');
    expect(await files.locator('pre:visible').count()).toBe(2);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files.getByRole('link', { name: 'JSON' }).click(),
    ]);
    expect(z.array(z.unknown()).parse(JSON.parse(await readFile(await download.path(), 'utf8')))).toHaveLength(328);
    await files.getByRole('button', { name: 'Close' }).click();
    await button(page, 'Cite').click();
    const cite = popover(page, 'Cite 328 experiments');
    expect(await cite.locator('#citation').textContent()).toContain('Filter: PVDF, voltage 5–30\u202fkV.');
    expect(await cite.getByText('A permanent link requires JavaScript.').isVisible()).toBe(true);
    await context.close();
  });
});

inBrowser(url, 'the comparison of /explore', (open) => {
  test('is scrolled to, has its heading focused, and shows only differences on request', async () => {
    const { page, context, problems } = await open('/explore?tab=table&compare=402,602', WIDE);
    await ready(page);
    const link = page.getByRole('link', { name: 'Compare side by side' });
    await link.scrollIntoViewIfNeeded();
    expect(await scrolled(page)).toBeGreaterThan(500);
    await link.click();
    const heading = page.getByRole('heading', { name: 'Comparison' });
    await heading.waitFor();
    await eventually(
      () => focusedText(page),
      (text) => text === 'Comparison',
    );
    const [{ y }, bar] = [await boxOf(heading), await boxOf(page.locator('.result-bar'))];
    expect(y).toBeGreaterThanOrEqual(bar.y + bar.height);
    expect(y).toBeLessThan(500);
    const rows = page.locator('.compare tbody tr:not(:has(.group))');
    const all = await rows.count();
    const different = await page.locator('.compare tr.differs').count();
    expect(different).toBeLessThan(all);
    await page.getByRole('link', { name: 'Only differences' }).click();
    await page.waitForURL(/differs=1/);
    expect(await rows.count()).toBe(different);
    await page.reload();
    expect(await rows.count()).toBe(different);
    await page.getByRole('link', { name: 'All rows' }).click();
    expect(await rows.count()).toBe(all);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('begins at a record page, and holds up to six records', async () => {
    const { page, context, problems } = await open('/record/207?version=v1.0.0', PHONE);
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL(/\/explore\?tab=compare&compare=207&version=v1\.0\.0#compare$/);
    await eventually(
      () => focusedText(page),
      (text) => text === 'Comparison',
    );
    const { y } = await boxOf(page.getByRole('heading', { name: 'Comparison' }));
    expect([y >= 0, y < 640]).toEqual([true, true]);
    const field = page.getByLabel('Record number');
    for (const id of ['1', '2', '999999', '3', '4']) {
      await field.fill(id);
      await field.press('Enter');
      await page.waitForURL((address) => address.searchParams.get('compare')?.endsWith(`,${id}`) === true);
    }
    await page.getByRole('columnheader', { name: /^Record 4/ }).waitFor();
    expect(await page.getByRole('columnheader', { name: /^Record/ }).count()).toBe(5);
    expect(await field.count()).toBe(0);
    await page.getByText('Records that are not public in this dataset: 999999').waitFor();
    await page.getByRole('link', { name: 'Remove record 999999 from the comparison' }).click();
    await field.waitFor();
    expect(new URL(page.url()).searchParams.get('compare')).toBe('207,1,2,3,4');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('grows without script', async () => {
    const { page, context } = await open('/record/207', { ...WIDE, javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByLabel('Record number').fill('402');
    await page.getByRole('button', { name: 'Add to the comparison' }).click();
    await page.getByRole('columnheader', { name: /^Record 402/ }).waitFor();
    await page.getByRole('link', { name: 'Only differences' }).click();
    await page.waitForURL(/differs=1/);
    expect(await page.getByRole('columnheader', { name: /^Record/ }).count()).toBe(2);
    await context.close();
  });
});
