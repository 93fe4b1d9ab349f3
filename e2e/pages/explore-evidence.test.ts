import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Page } from 'playwright-core';
import { inBrowser, violations } from '../browser.ts';

const { url } = await sharedStack();

const THIN = '/explore?polymer=%3DPVDF&fiberDiameterMax=500';
const RECIPE = 'recipe.voltage=15&recipe.tipDist=15&recipe.concentration=20';

/** Waits until script handles the links. */
const ready = (page: Page) => page.locator('.show-results').waitFor({ state: 'attached' });
const figureOf = (page: Page) => page.getByRole('figure', { name: 'Processing window' });
/** Returns the height of the page, and the position of the footer after the plots in it. */
const layoutOf = (page: Page) =>
  page.evaluate("[document.documentElement.scrollHeight, document.querySelector('.foot').offsetTop]");

inBrowser(url, 'what was tried on /explore', (open) => {
  test('the header compares the matching experiments with the tried ones', async () => {
    const { page, context, problems } = await open(THIN);
    await page
      .getByText('79 distinct match, of 190 PVDF experiments; 32 failed runs report no diameter and cannot match')
      .waitFor();
    await page.getByText('18 of 30 papers · of the tried, 158 stable (83%), 32 not stable').waitFor();
    // Another setting, and a result that other runs do not report either.
    await page.goto(`${url}/explore?polymer=%3DPVDF&voltageMin=5&voltageMax=30&porosityMin=1`);
    await page
      .getByText(
        /^0 match, of 167 PVDF experiments with these settings; 167 experiments \(32 of them failed\) report no porosity and cannot match$/,
      )
      .waitFor();
    await page.goto(`${url}/explore?polymer=%3DPVDF`);
    await page.getByRole('heading', { level: 1, name: '351 experiments (190 distinct)' }).waitFor();
    expect(await page.getByText(/ match, of /).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a phone shows the wide map until its own arrives, without dimming the results or moving the page', async () => {
    const { page, context, problems } = await open('/robots.txt', { viewport: { width: 375, height: 900 } });
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    await page.route('**/explore?*parts=narrowGrid*', async (route) => {
      await arrival;
      await route.continue();
    });
    await page.addInitScript(`
      globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    const requested = page.waitForRequest(/parts=narrowGrid/);
    await page.goto(`${url}/explore?polymer=%3DPVDF&tab=map`);
    await requested;
    const figure = figureOf(page);
    await figure.getByText(/ of \d{3} cells contain experiments\b/).waitFor();
    arrive();
    await figure.getByText(/ of \d{2} cells contain experiments\b/).waitFor();
    expect(Number(await page.evaluate('globalThis.shift'))).toBeLessThanOrEqual(0.02);
    // Later steps request only the map of the phone.
    const next = page.waitForRequest(/parts=[^&]*narrowGrid/);
    await page.goto(`${url}/explore?polymer=%3DPVDF&tab=table`);
    await page.getByRole('link', { name: 'Map', exact: true }).click();
    expect((await next).url()).not.toMatch(/[=,]grid\b|%2Cgrid\b/);
    await figure.getByText(/ of \d{2} cells contain experiments\b/).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the processing window spans the tried experiments and shows failures', async () => {
    const { page, context, problems } = await open(`${THIN}&tab=map`, { viewport: { width: 1280, height: 900 } });
    await ready(page);
    const figure = figureOf(page);
    await figure.getByText('47 of 140 cells contain tried experiments; in 19 of them, none matches.').waitFor();
    const map = figure.locator('svg.map');
    const cells = map.locator('.cell');
    expect([await cells.count(), await map.locator('.cell.no-match').count()]).toEqual([47, 19]);
    const marks = await map.locator('.failures text').allTextContents();
    expect(marks.reduce((sum, text) => sum + Number(text), 0)).toBe(32);
    await map.getByText('22 of 39', { exact: true }).waitFor();
    expect(await figure.getByRole('listitem').filter({ hasText: 'tried, none matches' }).count()).toBe(1);

    // Hover and focus describe a cell, and nothing moves.
    const before = await layoutOf(page);
    await map.getByText('22 of 39', { exact: true }).hover();
    await figure.getByText(/^Voltage 12\.5–17\.5\skV, .*collector distance 15\scm: 39 experiments tried in /).waitFor();
    expect(await figure.locator('.cell-sentence').textContent()).toMatch(
      /15\u202fcm: 39 experiments tried in \d+ papers, 22 match, 7 failed, 82% stable; median diameter \d+\u202fnm \(n = \d+\)\.$/,
    );
    expect(await layoutOf(page)).toEqual(before);
    const keys = page.getByRole('group', { name: /^Cells of the map/ });
    await keys.focus();
    await page.mouse.move(0, 0);
    await page.keyboard.press('ArrowRight');
    await keys
      .getByText(/^Voltage 2\.5–7\.5\skV, .*collector distance 7\scm: 1 experiment tried in 1 paper, 0 match/)
      .waitFor();
    expect(await layoutOf(page)).toEqual(before);
    await page.keyboard.press('Enter');
    await page.waitForURL(/tipDistMin=7&tipDistMax=7/);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('where no paper reports a failure, the map says so and shows diameters', async () => {
    const { page, context, problems } = await open('/explore?polymer=%3DPVA');
    await ready(page);
    const figure = figureOf(page);
    await figure
      .getByText('None of these 8 papers reports a failed run: 100% says what was published, not how often it works.')
      .waitFor();
    const chosen = figure.getByRole('group', { name: 'Color cells by' }).locator('[aria-current]');
    expect(await chosen.allTextContents()).toEqual(['Median diameter']);
    await figure.getByRole('link', { name: 'Stable share' }).click();
    await page.waitForURL(/mapBy=stable/);
    await figure.getByRole('link', { name: 'Median diameter' }).click();
    await page.waitForURL(/explore\?polymer=%3DPVA$/);
    await page.goto(`${url}/explore?polymer=%3DPVDF`);
    expect(await chosen.allTextContents()).toEqual(['Stable share']);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('an option counts repeated records too, with one request, and the table and files always have them', async () => {
    const { page, context, problems } = await open(THIN);
    await ready(page);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('parts=')) requests.push(request.url());
    });
    const heading = page.getByRole('heading', { level: 1 });
    expect(await heading.textContent()).toBe('173 experiments (79 distinct)');
    await page.getByText('1–15 of 173', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Options', exact: true }).click();
    const options = page.getByRole('dialog', { name: 'Options' });
    await options.getByText(/^94 records repeat an earlier one .* leave them out\./).waitFor();
    await options.getByRole('checkbox', { name: 'Count repeated records too' }).check();
    await page.getByText('173 match, of 351 PVDF experiments').waitFor();
    expect(await heading.textContent()).toBe('173 experiments');
    expect([new URL(page.url()).searchParams.get('repeats'), requests.length]).toEqual(['all', 1]);
    await options.getByText(/ include them\./).waitFor();
    expect(await violations(page, '[role="dialog"]')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const links = page.getByRole('dialog', { name: 'Download 173 experiments' }).getByRole('link');
    expect(await links.filter({ hasText: 'CSV' }).getAttribute('href')).not.toContain('repeats');
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.getByText('79 distinct match, of 190 PVDF experiments').waitFor();
    // Where nothing repeats, nothing is said about it.
    await page.goto(`${url}/explore?polymer=%3DPVA`);
    expect(await heading.textContent()).toBe('141 experiments');
    expect(await page.getByRole('button', { name: 'Options', exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
    const plain = await open(THIN, { javaScriptEnabled: false });
    await plain.page.getByRole('button', { name: 'Options', exact: true }).click();
    await plain.page.getByRole('checkbox', { name: 'Count repeated records too' }).check();
    await plain.page.getByRole('dialog', { name: 'Options' }).getByRole('button', { name: 'Show' }).click();
    await plain.page.waitForURL(/repeats=all/);
    await plain.page.getByText('173 match, of 351 PVDF experiments').waitFor();
    await plain.context.close();
  });

  test('the nearest experiments are distinct, with their repeats, papers and range', async () => {
    const { page, context, problems } = await open(`/explore?polymer=%3DPVDF&tab=nearest&${RECIPE}`);
    await ready(page);
    const section = page.getByRole('region', { name: 'Nearest experiments' });
    await section.getByText(/^Of the 20 nearest distinct experiments/).waitFor();
    await section
      .getByText(
        'In other papers’ data, 8 of 10 measured diameters lay within this range of what their neighbors suggested.',
      )
      .waitFor();
    await section.getByText(/^By paper: the median of \d+ medians is /).waitFor();
    const group = section.locator('details.repeats').first();
    const count = Number.parseInt((await group.locator('summary').textContent())?.slice(1) ?? '', 10);
    expect(await group.getByRole('link').first().isVisible()).toBe(false);
    await group.locator('summary').click();
    expect(await group.getByRole('link').count()).toBe(count - 1);
    await section.getByText(/^\d+ papers of these experiments$/).click();
    expect(await section.getByRole('columnheader', { name: 'Median diameter' }).isVisible()).toBe(true);
    const recordIds = async () =>
      (await section.locator('tbody th > a[href*="/record/"]').allTextContents()).map(Number);
    const distinct = await recordIds();
    await page.getByRole('button', { name: 'Options', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Count repeated records too' }).check();
    await section.getByText(/^Of the 20 nearest experiments/).waitFor();
    expect(await recordIds()).not.toEqual(distinct);
    expect(await section.locator('details.repeats').count()).toBe(0);
    // A result in the filter, and too few papers, leave no range.
    await page.goto(`${url}${THIN}&tab=nearest&${RECIPE}`);
    await section.getByText(/No range to expect is shown: the recipe or the filter has a result\./).waitFor();
    await page.goto(`${url}/explore?polymer=%3DPCL&tab=nearest&${RECIPE}`);
    await section
      .getByText(/No range to expect is shown: fewer than five papers report a fiber diameter for PCL\./)
      .waitFor();
    expect(await section.textContent()).not.toMatch(/predict/i);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the names of a recipe are chosen one by one, with and without script', async () => {
    const { page, context, problems } = await open('/explore?polymer=%3DPVDF&tab=nearest');
    await ready(page);
    const chosen = page.getByRole('list', { name: 'Chosen: polymer' });
    expect(await chosen.textContent()).toContain('PVDF');
    const solvent = page.getByRole('combobox', { name: 'Solvent' });
    await page.getByRole('textbox', { name: /^Voltage \(/ }).fill('15');
    await solvent.fill('DMF');
    await solvent.press('Tab');
    await solvent.fill('ACETONE');
    await solvent.press('Enter');
    await page.waitForURL(/recipe\.solvent=DMF%7CACETONE/);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('recipe.polymer'), searchParams.get('recipe.voltage')]).toEqual(['PVDF', '15']);
    await page.getByRole('button', { name: 'Remove DMF' }).click();
    expect(await page.getByRole('textbox', { name: /^Voltage \(/ }).inputValue()).toBe('15');
    await page.getByRole('button', { name: 'Find nearest experiments' }).click();
    await page.waitForURL((address) => address.searchParams.get('recipe.solvent') === 'ACETONE');
    expect(problems).toEqual([]);
    await context.close();

    const plain = await open('/explore?tab=nearest&recipe.voltage=15&recipe.solvent=DMF', { javaScriptEnabled: false });
    await plain.page.getByRole('combobox', { name: 'Solvent' }).fill('ACETONE');
    await plain.page.getByRole('button', { name: 'Find nearest experiments' }).click();
    await plain.page.waitForURL(/ACETONE/);
    const names = plain.page.getByRole('list', { name: 'Chosen: solvent' }).getByRole('listitem');
    expect(await names.count()).toBe(2);
    await plain.page.getByRole('link', { name: 'Remove DMF' }).click();
    await plain.page.waitForURL((address) => !address.search.includes('DMF'));
    expect(await names.count()).toBe(1);
    await plain.context.close();
  });
});
