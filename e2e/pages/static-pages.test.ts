import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { inBrowser, overflow, violations } from '../browser.ts';

const { url } = await sharedStack();

const PAGES = ['/', '/releases', '/release/v1.0.0', '/release/latest', '/record/207', '/record/1?version=v1.0.0'];

inBrowser(url, 'pages that are read', (open) => {
  test.each(PAGES)('%s is accessible in light and dark at every width', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, complaints, context } = await open(path, { colorScheme });
      for (const width of [1680, 1280, 768, 375, 320]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await overflow(page)]).toEqual([width, 0]);
        if (width !== 1280 && width !== 320) continue;
        expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    }
  });
});
