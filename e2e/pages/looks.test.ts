import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser, type OpenBrowserPage, overflow, untilComplete } from '../browser.ts';

const { url } = await sharedStack();

const PAPER = '/paper/10.3390%2Fnano10061221';
const PAGES = [
  '/',
  '/explore',
  '/record/207',
  PAPER,
  '/release/v1.0.0',
  '/releases',
  '/contribute',
  '/account',
  '/moderate',
  '/about',
  '/search?q=PVFD',
  '/nope',
];
const WIDTHS = [320, 375, 768, 1280, 1680, 1920];
const HEIGHT = 1080;
/** The pages with plots. */
const PLOTS = ['/', PAPER, '/explore?polymer=%3DPVDF', '/explore?tab=map', '/explore?tab=scatter'];
const PLOT_WIDTHS = [1280, 1680, 1920];
/** The most bytes of fonts on a page without Greek letters. */
const MAX_FONT_BYTES = 60_000;
const MAX_LAYOUT_SHIFT = 0.02;

const isExplore = (path: string): boolean => path.startsWith('/explore');

/** Waits until script has drawn the plots of /explore at the size of their frames. */
const drawn = (page: Page, path: string) =>
  isExplore(path) ? page.locator('.plot.scaled:visible').first().waitFor({ state: 'detached' }) : undefined;

async function numbers(page: Page, expression: string): Promise<number[]> {
  return z.array(z.number()).parse(await page.evaluate(expression));
}

/** The left edges of the brand, of the leftmost text of the content, and of the footer. */
const LEFT_EDGES = `(() => {
  const left = (selector) => Math.min(
    ...[...document.querySelectorAll(selector)]
      .filter((element) => element.checkVisibility() && !element.closest('.hidden-text, .scroll, figure, dialog') && element.getClientRects().length > 0 && getComputedStyle(element).position !== 'absolute')
      .map((element) => element.getBoundingClientRect().left),
  );
  return [left('.brand'), left('main :is(h1, h2, p:not(.missing), summary, input)'), left('.foot a')].map(Math.round);
})()`;

/** The distances of the end of the footer from the end of the page, and of the end of the page from the bottom of the window. */
const FOOTER_END = `(() => {
  const end = document.querySelector('.foot').getBoundingClientRect().bottom + scrollY;
  const { scrollHeight } = document.documentElement;
  // scrollHeight is a whole number; the end need not be one.
  return [Math.floor(Math.abs(scrollHeight - end)), Math.max(0, innerHeight - scrollHeight)];
})()`;

inBrowser(url, 'the frame of the pages', (open) => {
  test.each(PAGES)('%s fills the window, and header, content, and footer have one left edge', async (path) => {
    const { page, context } = await open(path, { viewport: { width: 1280, height: HEIGHT } });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      expect([width, await overflow(page)]).toEqual([width, 0]);
      expect([width, ...(await numbers(page, FOOTER_END))]).toEqual([width, 0, 0]);
      const [brand, content, foot] = await numbers(page, LEFT_EDGES);
      expect([width, content, foot]).toEqual([width, brand, brand]);
    }
    await context.close();
  });

  test('reading pages are 1,168 wide, Explore and Moderate use the window up to 1,920', async () => {
    for (const [path, selector, wide] of [
      ['/record/207', '.wrap', false],
      ['/explore', '.explore', true],
      ['/moderate', 'main > *', true],
    ] as const) {
      const { page, context } = await open(path, { viewport: { width: 2400, height: HEIGHT } });
      const content = `(() => {
        const element = document.querySelector('${selector}');
        const { paddingLeft } = getComputedStyle(document.querySelector('.top > div'));
        return [document.querySelector('.top > div').clientWidth - 2 * parseFloat(paddingLeft)];
      })()`;
      expect([path, ...(await numbers(page, content))]).toEqual([path, wide ? 1920 - 48 : 1168]);
      await context.close();
    }
  });

  test('a long identifier of a release breaks in every list', async () => {
    const { page, context } = await open('/releases', { viewport: { width: 320, height: HEIGHT } });
    const lengthen = `document.querySelectorAll('main *, select option').forEach((element) => {
      for (const node of element.childNodes)
        if (node.nodeType === 3 && node.data.includes('v1.0.0')) node.data = node.data.replace('v1.0.0', 'v1.0.0-' + 'x'.repeat(57));
    })`;
    for (const path of ['/releases', '/release/v1.0.0', '/release/latest', '/', '/explore', '/record/207']) {
      await page.goto(url + path);
      await page.evaluate(lengthen);
      for (const width of [320, 375, 1280]) {
        await page.setViewportSize({ width, height: HEIGHT });
        expect([path, width, await overflow(page)]).toEqual([path, width, 0]);
      }
    }
    await context.close();
  });
});

inBrowser(
  url,
  'the typefaces',
  (open) => {
    test.each(['/', '/explore', '/record/207', '/contribute'])(
      '%s loads the Latin letters of two typefaces and moves nothing when they arrive',
      async (path) => {
        for (const width of [320, 1280]) {
          const { page, problems, context } = await open('/robots.txt', { viewport: { width, height: 900 } });
          const bytes = new Map<string, number>();
          const { promise: painted, resolve: paint } = Promise.withResolvers<void>();
          // The fonts arrive after the first paint, as on a slow network.
          await page.route('**/*.woff2', async (route) => {
            await painted;
            const answer = await route.fetch();
            bytes.set(route.request().url(), (await answer.body()).length);
            await route.fulfill({ response: answer });
          });
          await page.addInitScript(`
          globalThis.shift = 0;
          new PerformanceObserver((list) => {
            for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
          }).observe({ type: 'layout-shift', buffered: true });
        `);
          await page.goto(url + path, { waitUntil: 'commit' });
          await page.evaluate(`new Promise((resolve) => {
          new PerformanceObserver((list) => {
            if (list.getEntriesByName('first-contentful-paint').length > 0) resolve();
          }).observe({ type: 'paint', buffered: true });
        })`);
          paint();
          await page.waitForLoadState('load');
          await drawn(page, path);
          const shift = await page.evaluate(`document.fonts.ready
          .then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
          .then(() => globalThis.shift)`);
          expect(Number(shift)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
          const latin = [...bytes].filter(([address]) => address.includes('-latin-'));
          // The names of some polymers on /explore have a Greek letter.
          expect(bytes.size).toBe(isExplore(path) ? 3 : 2);
          expect(latin).toHaveLength(2);
          expect(latin.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(MAX_FONT_BYTES);
          expect(problems).toEqual([]);
          const families = `['body', 'h1', '.brand'].map((selector) => {
          const { fontFamily, fontWeight } = getComputedStyle(document.querySelector(selector));
          return fontFamily.split(',')[0] + ' ' + fontWeight;
        })`;
          expect(await page.evaluate(families)).toEqual([
            '"Source Sans 3" 400',
            '"Source Serif 4" 600',
            '"Source Serif 4" 600',
          ]);
          // Chromium ignores a face whose name it cannot read.
          const fallbacks = `(() => {
          const families = (text) => text.replaceAll('"', '').split(', ').filter((name) => name.startsWith('Like '));
          const known = [...document.fonts].flatMap(({ family }) => families(family));
          return ['body', 'h1'].map((selector) =>
            families(getComputedStyle(document.querySelector(selector)).fontFamily).map((name) => known.includes(name)));
        })()`;
          expect(await page.evaluate(fallbacks)).toEqual([
            [true, true],
            [true, true],
          ]);
          await context.close();
        }
      },
    );

    test('Greek letters load only where they occur', async () => {
      const loaded = `document.fonts.ready.then(() => performance.getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.woff2'))
      .map(({ name }) => /-(latin|greek)/.exec(name)[1])
      .sort())`;
      const { page, context } = await open('/privacy');
      expect(await page.evaluate(loaded)).toEqual(['latin', 'latin']);
      await page.goto(`${url}/search?q=%CE%B2`);
      expect(await page.evaluate(loaded)).toEqual(['greek', 'latin', 'latin']);
      await context.close();
    });

    test('fonts are cached for a year, and digits have one width', async () => {
      const { page, context } = await open('/releases');
      const href = await page.locator('link[rel=preload][as=font]').first().getAttribute('href');
      const { headers } = await fetch(new URL(href ?? '', url));
      expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
        'font/woff2',
        expect.stringContaining('immutable'),
      ]);
      await page.evaluate('document.fonts.ready');
      const widths = `(() => {
      const context = document.createElement('canvas').getContext('2d');
      context.font = '16px "Source Sans 3"';
      return [...'0123456789'].map((digit) => context.measureText(digit).width);
    })()`;
      expect(new Set(await numbers(page, widths)).size).toBe(1);
      await context.close();
    });

    test('texts have the sizes of the design', async () => {
      const sizes = (selectors: readonly string[]) => `${JSON.stringify(selectors)}.map((selector) => {
      const { fontSize, lineHeight } = getComputedStyle(document.querySelector(selector));
      return selector + ' ' + parseFloat(fontSize) + ' ' + Number((parseFloat(lineHeight) / parseFloat(fontSize)).toFixed(2));
    })`;
      const wide = await open('/', { viewport: { width: 1280, height: 900 } });
      await untilComplete(wide.page);
      expect(await wide.page.evaluate(sizes(['h1', '.lede', 'body', '#diameters', '.top nav a']))).toEqual([
        'h1 34 1.2',
        '.lede 19 1.5',
        'body 16 1.5',
        '#diameters 18 1.35',
        '.top nav a 15 1.5',
      ]);
      await wide.page.setViewportSize({ width: 320, height: 900 });
      expect(await wide.page.evaluate(sizes(['h1']))).toEqual(['h1 26 1.2']);
      await wide.page.setViewportSize({ width: 1280, height: 900 });
      await wide.page.goto(`${url}/explore`);
      expect(await wide.page.evaluate(sizes(['.facet a', 'td', '.button', '.note-small']))).toEqual([
        expect.stringMatching(/^\.facet a 14 /),
        'td 14 1.4',
        expect.stringMatching(/^\.button 15 /),
        expect.stringMatching(/^\.note-small 13 /),
      ]);
      await wide.context.close();
    });
  },
  { isWhole: true },
);

/** For each visible plot: its share of the width of its figure, the size of its smallest text, and the distance of the legend below it. */
const PLOT_FACTS = `[...document.querySelectorAll('svg.plot[role=img]')]
  .filter((plot) => plot.checkVisibility() && plot.clientWidth > 0)
  .map((plot) => {
    const figure = plot.closest('figure, section');
    const { width, bottom } = plot.getBoundingClientRect();
    const scale = width / plot.viewBox.baseVal.width;
    const text = Math.min(...[...plot.querySelectorAll('text')].map((one) => parseFloat(getComputedStyle(one).fontSize) * scale));
    const legend = figure.querySelector('.legend');
    const legends = [...figure.querySelectorAll('.legend')].filter((one) => one.checkVisibility());
    return [width / figure.clientWidth, text, Math.max(0, ...legends.map((one) => one.getBoundingClientRect().top - bottom))];
  })
  .flat()`;

/** The fills that refer to no pattern, which browsers draw black. */
const MISSING_PATTERNS = `[...document.querySelectorAll('svg [fill^="url("]')].map((one) => one.getAttribute('fill').slice(5, -1)).filter((id) => document.getElementById(id) === null || /\\s/.test(id))`;

async function expectPlots(open: OpenBrowserPage, path: string, options: BrowserContextOptions): Promise<void> {
  const { page, context } = await open(path, { ...options, viewport: { width: 1280, height: HEIGHT } });
  for (const width of PLOT_WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.goto(url + path);
    if (path === '/') await untilComplete(page);
    if (options.javaScriptEnabled !== false) await drawn(page, path);
    const facts = await numbers(page, PLOT_FACTS);
    expect(facts.length).toBeGreaterThanOrEqual(3);
    expect(await page.evaluate(MISSING_PATTERNS)).toEqual([]);
    for (let at = 0; at < facts.length; at += 3) {
      const [share = 0, text = 0, distance = 0] = facts.slice(at, at + 3);
      // Frames of fractions of a pixel are rounded.
      expect([path, width, share >= 0.95, text >= 11.95, distance <= 16]).toEqual([path, width, true, true, true]);
    }
  }
  await context.close();
}

inBrowser(url, 'the plots', (open) => {
  test.each(PLOTS)('%s: drawings fill their figures, and the legend is next to the drawing', async (path) => {
    await expectPlots(open, path, {});
    await expectPlots(open, path, { javaScriptEnabled: false });
  });

  test('a plot has the height of the drawing of the server, so that nothing moves', async () => {
    const height = `[...document.querySelectorAll('.pair svg.plot[role=img]')].filter((plot) => plot.clientWidth > 0).map((plot) => Math.round(plot.getBoundingClientRect().height))`;
    for (const path of ['/explore', '/explore?panels=polymer']) {
      for (const width of PLOT_WIDTHS) {
        const viewport = { width, height: HEIGHT };
        const plain = await open(path, { viewport, javaScriptEnabled: false });
        const live = await open(path, { viewport });
        await drawn(live.page, path);
        const [a, b] = [await numbers(plain.page, height), await numbers(live.page, height)];
        expect(a).toHaveLength(2);
        for (const [at, one] of a.entries()) expect(Math.abs(one - (b[at] ?? 0))).toBeLessThanOrEqual(1);
        await plain.context.close();
        await live.context.close();
      }
    }
  });

  test('the controls of a plot are one row, and the statistics fit their column', async () => {
    const { page, context } = await open('/explore', { viewport: { width: 1280, height: HEIGHT } });
    await drawn(page, '/explore');
    const rows = `[...document.querySelectorAll('.figure > .controls')].map((bar) => {
      const boxes = [...bar.children].map((child) => child.getBoundingClientRect());
      return Math.max(...boxes.map(({ top }) => top)) - Math.min(...boxes.map(({ bottom }) => bottom));
    })`;
    // A negative number: every control overlaps with every other one in height.
    for (const gap of await numbers(page, rows)) expect(gap).toBeLessThan(0);
    const wide = `[...document.querySelectorAll('.figure > .controls > *')].map((one) => one.scrollWidth - one.clientWidth)`;
    for (const width of [1280, 1680, 1920]) {
      await page.setViewportSize({ width, height: HEIGHT });
      expect(Math.max(...(await numbers(page, wide)))).toBeLessThanOrEqual(0);
      const table = `[document.querySelector('[aria-labelledby=statistics].scroll')].map((box) => box.scrollWidth - box.clientWidth)`;
      expect([width, ...(await numbers(page, table))]).toEqual([width, 0]);
    }
    await context.close();
  });

  test('a table that is cut off shows that it scrolls', async () => {
    const { page, context } = await open('/explore?tab=coverage', { viewport: { width: 375, height: HEIGHT } });
    const cut = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => [
      getComputedStyle(box).backgroundImage.includes('gradient'), box.tabIndex])`;
    const found = z.array(z.tuple([z.boolean(), z.number()])).parse(await page.evaluate(cut));
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(([shows, tab]) => shows && tab === 0)).toBe(true);
    await context.close();
  });
});

/** The color that the bars of the browser get: that of the first theme-color that applies. */
const THEME_COLOR = `[...document.querySelectorAll('meta[name=theme-color]')].find(({ media }) => matchMedia(media).matches).content`;

inBrowser(url, 'the theme and the controls', (open) => {
  test('one button shows and changes the theme, and the browser stores it', async () => {
    const { page, problems, context } = await open('/releases', { colorScheme: 'dark' });
    const state = async () => [
      await page.getByRole('button', { name: /^Theme: / }).innerText(),
      await page.evaluate('getComputedStyle(document.body).backgroundColor'),
      await page.evaluate(THEME_COLOR),
    ];
    const [light, dark] = [
      ['rgb(253, 252, 249)', '#fdfcf9'],
      ['rgb(21, 23, 26)', '#15171a'],
    ];
    expect(await state()).toEqual(['Theme: system', ...dark]);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    expect(await state()).toEqual(['Theme: light', ...light]);
    await page.reload();
    expect(await state()).toEqual(['Theme: light', ...light]);
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await state()).toEqual(['Theme: dark', ...dark]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await state()).toEqual(['Theme: dark', ...dark]);
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    expect(await state()).toEqual(['Theme: system', ...light]);
    expect(await page.evaluate(`localStorage.getItem('esd-theme')`)).toBeNull();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('another tab follows the theme', async () => {
    const { page, context } = await open('/releases', { colorScheme: 'light' });
    const other = await context.newPage();
    await other.goto(`${url}/about`);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await other.getByRole('button', { name: 'Theme: dark' }).waitFor();
    await context.close();
  });

  test('checkboxes are 20 px, in the middle of the first line of their text, and a legend is above its rule', async () => {
    const { page, context } = await open('/contribute', { viewport: { width: 375, height: HEIGHT } });
    const boxes = `[...document.querySelectorAll('label.check')].filter((label) => label.checkVisibility()).flatMap((label) => {
      const box = label.querySelector('input').getBoundingClientRect();
      const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT, (node) => (node.data.trim() === '' ? 2 : 1));
      const range = document.createRange();
      range.selectNodeContents(walker.nextNode());
      const line = range.getClientRects()[0];
      return [box.width, box.height, Math.round(Math.abs((box.top + box.bottom - line.top - line.bottom) / 2))];
    })`;
    await page.getByRole('checkbox').first().waitFor({ state: 'attached' });
    const found = await numbers(page, boxes);
    expect(found.length).toBeGreaterThan(0);
    for (let at = 0; at < found.length; at += 3) expect(found.slice(at, at + 2)).toEqual([20, 20]);
    for (let at = 2; at < found.length; at += 3) expect(found[at]).toBeLessThanOrEqual(1);
    const rules = `[...document.querySelectorAll('fieldset.group')].filter((group) => group.checkVisibility()).flatMap((group) => [
      parseFloat(getComputedStyle(group).borderTopWidth),
      parseFloat(getComputedStyle(group.querySelector('legend')).borderBottomWidth),
      Math.round(group.clientWidth - group.querySelector('legend').offsetWidth),
    ])`;
    const lines = await numbers(page, rules);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines).toEqual(lines.map((_, at) => (at % 3 === 1 ? 1 : 0)));
    await context.close();
  });

  test('dialogs open in one place, and a menu is not wider than its column', async () => {
    const { page, context } = await open('/explore?tab=table', { viewport: { width: 1280, height: HEIGHT } });
    // The server sends the button without its dialog.
    await page.locator('.show-results').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.locator('dialog:modal').waitFor();
    const top = `[document.querySelector('dialog:modal').getBoundingClientRect().top]`;
    const first = await numbers(page, top);
    await page.keyboard.press('Escape');
    await page.evaluate(`document.querySelector('dialog').style.height = '120px'`);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.locator('dialog:modal').waitFor();
    expect(await numbers(page, top)).toEqual(first);
    await page.keyboard.press('Escape');
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: HEIGHT });
      for (const path of ['/explore', '/contribute']) {
        await page.goto(url + path);
        const beyond = `[...document.querySelectorAll('select')].filter((select) => select.checkVisibility()).map((select) => {
          const { right } = select.getBoundingClientRect();
          const parent = select.parentElement.parentElement.getBoundingClientRect();
          return Math.max(0, Math.round(right - parent.right));
        })`;
        expect([path, width, Math.max(...(await numbers(page, beyond)))]).toEqual([path, width, 0]);
      }
    }
    await context.close();
  });
});
