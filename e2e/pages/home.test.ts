import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { inBrowser, overflow, untilComplete } from '../browser.ts';

const { url } = await sharedStack();

inBrowser(url, 'the start page', (open) => {
  test('each row counts its dots and its failed runs, and the caution below is computed', async () => {
    const { page, context } = await open('/', { viewport: { width: 1280, height: 900 } });
    await untilComplete(page);
    const figure = page.getByRole('figure').filter({ hasText: 'Fiber diameter by polymer' });
    const plot = figure.locator('svg.wide');
    const rows = plot.locator('path.dots');
    const names = await plot.locator('text.label').allTextContents();
    const found = await Promise.all(
      names.map(async (name, at) => {
        const dots = ((await rows.nth(at).getAttribute('d')) ?? '').split('M').length - 1;
        await figure.getByText('Table', { exact: true }).click();
        const cells = await figure.getByRole('row', { name, exact: false }).getByRole('cell').allTextContents();
        return { name, dots, cells };
      }),
    );
    expect(found[0]).toMatchObject({ name: 'PVDF', dots: 158 });
    expect(found[0]?.cells.slice(0, 3)).toEqual(['190', '158', '32']);
    expect(found[1]?.cells.slice(0, 3)).toEqual(['141', '141', '0']);
    for (const { dots, cells } of found) expect(String(dots)).toBe(cells[1]);
    const counts = await plot.locator('text[x="632"]').allTextContents();
    expect(counts).toEqual(['n', ...found.map(({ dots }) => String(dots))]);
    expect(await plot.locator('text.failed').allTextContents()).toEqual(['× 32']);
    expect(
      await figure
        .getByText(
          '29% of all distinct experiments use PVDF; 161 experiments repeat an earlier one of the same paper. 10 of 57 papers report failed runs, all with PVDF.',
        )
        .isVisible(),
    ).toBe(true);
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await overflow(page)).toBe(0);
    await context.close();
  });
});
