import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Locator, Page } from 'playwright-core';
import { inBrowser } from '../browser.ts';
import { eventually } from '@esd/testing/eventually';

const { url } = await sharedStack();

const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 });
const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

async function shows(page: Page, count: string): Promise<void> {
  await heading(page)
    .filter({ hasText: new RegExp(`^${count} experiments?(?: \\(\\d+ distinct\\))?$`) })
    .waitFor();
}

inBrowser(url, '/explore in a browser', (open) => {
  test('a user filters, brushes, types a range, goes back, sorts, and compares', async () => {
    const { page, context, problems } = await open('/explore', { viewport: { width: 1280, height: 900 } });
    await shows(page, '809');
    // A selection navigates within the page and updates the URL.
    await page.getByRole('checkbox', { name: 'Compare record 1', exact: true }).waitFor();
    await page.getByRole('link', { name: '(PVDF) 190' }).click();
    await shows(page, '351');
    expect(parameter(page, 'polymer')).toBe('=PVDF');

    const histogram = page.getByRole('img', { name: /^Voltage: \d+ experiments/ });
    await histogram.scrollIntoViewIfNeeded();
    const box = await histogram.boundingBox();
    if (!box) throw new Error('no histogram');
    await page.mouse.move(box.x + 60, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 20, { steps: 4 });
    await page.mouse.move(box.x + 120, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/voltageMin=.*voltageMax=/);
    const brushed = [Number(parameter(page, 'voltageMin')), Number(parameter(page, 'voltageMax'))];
    expect(brushed[0]).toBeGreaterThan(5);
    expect(brushed[1]).toBeGreaterThan(brushed[0] ?? NaN);

    const from = page.getByRole('textbox', { name: 'Voltage, from' });
    await from.fill('many');
    await from.press('Enter');
    expect(await page.getByText('Enter a number', { exact: true }).isVisible()).toBe(true);
    await from.fill('5');
    await page.getByRole('textbox', { name: 'Voltage, to' }).fill('30');
    await page.getByRole('textbox', { name: 'Voltage, to' }).press('Enter');
    await shows(page, '328');

    await page.getByRole('combobox', { name: 'Unit of voltage' }).selectOption('V');
    await eventually(
      () => page.getByRole('textbox', { name: 'Voltage, to' }).inputValue(),
      (text) => text === '30000',
    );
    expect(parameter(page, 'voltageMax')).toBe('30');
    await page.getByRole('combobox', { name: 'Unit of voltage' }).selectOption('kV');

    await page.getByRole('link', { name: 'Fiber diameter', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Fiber diameter ▲ nm' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'Baqeri' }).first().textContent()).toContain('55');

    // Back, forward, and reload restore the view.
    await page.goBack();
    await page.getByRole('columnheader', { name: 'Fiber diameter nm' }).waitFor();
    await page.goForward();
    await page.getByRole('columnheader', { name: 'Fiber diameter ▲ nm' }).waitFor();
    await page.reload();
    await shows(page, '328');
    expect(await page.getByRole('group', { name: 'Active filters' }).textContent()).toContain('5–30');

    for (const record of [402, 602]) await page.getByRole('checkbox', { name: `Compare record ${record}` }).check();
    await page.getByRole('link', { name: 'Compare side by side' }).click();
    await page.getByRole('link', { name: 'Record 602', exact: true }).waitFor();
    expect(parameter(page, 'compare')).toBe('402,602');
    expect(await page.getByRole('row', { name: /^Concentration/ }).textContent()).toMatch(/20.*17/);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a blend is searched as one value, and a facet finds the records with any or all of the solvents', async () => {
    const { page, context, problems } = await open('/', { viewport: { width: 1280, height: 900 } });
    await page.getByRole('searchbox', { name: 'Search experiments' }).first().fill('PVDF in acetone and DMF');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Remove filter: Solvent system Acetone–DMF' }).waitFor();
    expect(parameter(page, 'solventSystem')).toBe('=ACETONE–DMF');
    const systems = page.getByRole('region', { name: 'Solvent system', exact: true });
    expect(await systems.getByRole('link', { name: /^Acetone–DMF ✓/ }).count()).toBe(1);

    const solvents = page.getByRole('region', { name: 'Contains solvent' });
    await page.goto(`${url}/explore?solvent=%3DAC%7Cacetone%7CDMF`);
    expect(await solvents.getByRole('link', { name: /✓/ }).count()).toBe(2);
    const countOf = async () => Number.parseInt((await heading(page).textContent()) ?? '', 10);
    const any = await countOf();
    await solvents.getByRole('link', { name: 'all', exact: true }).click();
    await page.getByRole('link', { name: 'Remove filter: Solvent Acetone and DMF' }).waitFor();
    const all = await eventually(countOf, (count) => count < any);
    expect(all).toBeGreaterThan(0);
    // The facet counts the matching records, because a further solvent narrows the result.
    await eventually(
      () => solvents.getByRole('listitem').allTextContents(),
      (values) => String(values) === 'Acetone ✓75,N,N-Dimethylformamide (DMF) ✓75',
    );

    await page.goto(`${url}/search?q=DCM`);
    await page
      .getByText('Also in the dataset:')
      .getByRole('link', { name: 'DSM (in the paper; probably DCM)' })
      .click();
    await page.waitForURL((address) => address.searchParams.get('solvent') === '=DCM|DSM');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('facets, cells, points, and the removal of a filter work by keyboard', async () => {
    const { page, context, problems } = await open('/explore?polymer=%3DPVDF', {
      viewport: { width: 1280, height: 900 },
    });
    await page
      .getByRole('checkbox', { name: /^Compare record/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'no 32' }).focus();
    await page.keyboard.press('Enter');
    await shows(page, '32');
    const cells = page.getByRole('group', { name: /^Cells of the map/ });
    await cells.focus();
    await page.keyboard.press('ArrowRight');
    await cells.getByText(/experiments? tried in \d+ papers?/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/voltageMin=.*tipDistMax=/);
    await page.goBack();
    await shows(page, '32');
    await page.getByRole('link', { name: 'Remove filter: Stable fiber formation no' }).focus();
    await page.keyboard.press('Enter');
    await shows(page, '351');
    await page.locator('.chip > a:focus').waitFor();
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Remove filter: Polymer PVDF');
    const points = page.getByRole('group', { name: /^Points of the plot/ });
    await points.focus();
    await page.keyboard.press('ArrowRight');
    await points.getByText(/^Record \d+, /).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/record\/\d+$/);
    expect(problems).toEqual([]);
    await context.close();
  });
});
