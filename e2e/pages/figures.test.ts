import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { inBrowser } from '../browser.ts';
import { eventually } from '@esd/testing/eventually';

const { url } = await sharedStack();

const FILTER = 'polymer=%3DPVDF&fiberDiameterMax=500';
const FIGURE = 'Concentration and fiber diameter';

const figureOf = (page: Page, name = FIGURE): Locator => page.getByRole('figure', { name });
const ready = (page: Page) =>
  page
    .getByRole('checkbox', { name: /^Compare record/ })
    .first()
    .waitFor();

/** Returns the class and the shape of each name in the legend. */
async function marksOf(page: Page): Promise<ReadonlyMap<string, string>> {
  const items = await figureOf(page).getByRole('list', { name: 'Legend' }).getByRole('listitem').all();
  const marks = new Map<string, string>();
  for (const item of items) {
    const path = item.locator('path').first();
    const name = ((await item.textContent()) ?? '').replace(/ \(\d.*/, '');
    marks.set(name, `${await path.getAttribute('class')} ${await path.getAttribute('d')}`);
  }
  return marks;
}

async function save(page: Page, figure: Locator, button: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    figure.getByRole('button', { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Returns the chunks of a PNG, and whether each checksum is right. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

inBrowser(url, 'the figures of /explore', (open) => {
  test('the default plot shows every distinct experiment with its own point, and medians of them', async () => {
    const { page, context } = await open('/explore?polymer=%3DPVDF', { viewport: { width: 1280, height: 900 } });
    await ready(page);
    const figure = figureOf(page);
    const paths = await figure.locator('svg.scatter .points path').all();
    const parts = await Promise.all(paths.map((path) => path.getAttribute('d')));
    const drawn = parts.flatMap((path) => path?.split('M').slice(1) ?? []);
    // 158 have a diameter, and 32 are in the row of those without; a cross has no second part that begins with M.
    expect(drawn).toHaveLength(190);
    expect(new Set(drawn).size).toBe(190);
    expect(await figure.locator('svg.scatter path.bin-median').count()).toBeGreaterThan(3);
    await figure.getByRole('button', { name: 'Table', exact: true }).click();
    const counts = await figure
      .getByRole('group', { name: 'Medians as a table' })
      .locator('tbody td:nth-child(2)')
      .allTextContents();
    const counted = counts.reduce((sum, text) => sum + Number(text), 0);
    // Some ranges have fewer than five experiments.
    expect(counted).toBeLessThanOrEqual(158);
    expect(counted).toBeGreaterThan(100);
    await context.close();
  });

  test('a name keeps its color while the filter changes, and after a reload', async () => {
    const { page, context, problems } = await open('/explore', { viewport: { width: 1280, height: 900 } });
    await ready(page);
    const first = await marksOf(page);
    await page.getByRole('link', { name: '(PVDF) 190' }).click();
    await page.getByRole('heading', { level: 1, name: '351 experiments (190 distinct)' }).waitFor();
    const second = await marksOf(page);
    const common = [...second.keys()].filter((name) => first.has(name));
    expect(common.length).toBeGreaterThan(2);
    // The order has changed, so that colors by count would differ.
    expect([...second.keys()].slice(0, 5)).not.toEqual([...first.keys()].slice(0, 5));
    for (const name of common) expect([name, second.get(name)]).toEqual([name, first.get(name)]);
    await page.reload();
    await ready(page);
    await eventually(
      async () => [...(await marksOf(page))],
      (marks) => JSON.stringify(marks) === JSON.stringify([...second]),
    );
    expect(problems).toEqual([]);
    await context.close();
  });

  test('panels by polymer are in the URL, take one request, and work without script', async () => {
    const { page, context } = await open('/explore?tab=scatter', { viewport: { width: 1280, height: 900 } });
    await page.locator('#app details.filters').waitFor({ state: 'attached' });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole('combobox', { name: 'Scatter, panels' }).selectOption('polymer');
    const titles = figureOf(page).locator('svg.scatter .panel-title');
    await titles.first().waitFor();
    expect(await titles.count()).toBe(6);
    expect(await titles.first().textContent()).toBe('PVDF');
    expect(await figureOf(page).locator('svg.scatter').textContent()).toContain('n = 158, × 32');
    expect(new URL(page.url()).searchParams.get('panels')).toBe('polymer');
    expect(requested.filter((path) => path === '/explore')).toHaveLength(1);
    expect(await figureOf(page).getByText('the 6 most frequent of 12 polymers').isVisible()).toBe(true);
    await page.goBack();
    await titles.first().waitFor({ state: 'detached' });
    await context.close();
    const plain = await open('/explore?tab=scatter&panels=solvent', { javaScriptEnabled: false });
    const drawn = figureOf(plain.page).locator('svg.scatter.plot:visible .panel-title');
    expect(await drawn.count()).toBe(6);
    await plain.context.close();
  });

  test.each([
    [85, 1004],
    [180, 2126],
  ])('a figure of %i mm can be read by itself, in dark mode too', async (mm, pixels) => {
    const { page, context, problems } = await open(`/explore?${FILTER}`, { colorScheme: 'dark' });
    await ready(page);
    for (const [name, file, numbers] of [
      [FIGURE, 'concentration-and-fiber-diameter', 'n = 79 of 173 experiments (79 distinct) from 18 papers.'],
      ['Processing window', 'processing-window', 'n = 79 of 173 experiments (79 distinct) from 18 papers.'],
    ] as const) {
      const figure = figureOf(page, name);
      await figure.getByRole('combobox', { name: 'Width of the saved figure' }).selectOption(String(mm));
      const svg = await save(page, figure, 'Save as SVG');
      expect(svg.name).toBe(`${file}.svg`);
      const text = svg.bytes.toString();
      expect(text).toMatch(new RegExp(`^<svg xmlns="http://www.w3.org/2000/svg" width="${mm}mm"`));
      expect(text).not.toMatch(/class=|style=|var\(|href=|@font-face|<image/);
      expect(text).toContain('fill="#ffffff"');
      // The secondary ink of the light theme, not that of the dark one.
      expect(text).toContain('rgb(79, 84, 90)');
      expect(text).not.toContain('rgb(176, 180, 184)');
      const words = [...text.matchAll(/<text[^>]*>([^<]*)/g)].map(([, line]) => line).join(' ');
      expect(words).toContain(name);
      expect(words).toContain('PVDF, fiber diameter ≤ 500');
      expect(words.replaceAll(/\s+/g, ' ')).toContain(numbers);
      expect(words).toMatch(/Source: .* dataset\s+revision \d+/);
      expect(words).toMatch(/license\s+CC-BY-4\.0/);
      expect(words.replaceAll(' ', '')).toContain(`${url}/explore?${FILTER.replace('&', '&amp;')}`);
      // Another program draws it, here with 72 pixels per inch: dark ink on white.
      const { data, info } = await sharp(svg.bytes).raw().toBuffer({ resolveWithObject: true });
      expect(Math.abs(info.width - (mm / 25.4) * 72)).toBeLessThanOrEqual(1);
      expect([...data.subarray(0, 3)]).toEqual([255, 255, 255]);
      const png = await save(page, figure, 'Save as PNG');
      expect(png.name).toBe(`${file}.png`);
      const chunks = chunksOf(png.bytes);
      expect(chunks.get('IHDR')?.readUInt32BE(0)).toBe(pixels);
      expect([...(chunks.get('pHYs') ?? [])]).toEqual([0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1]);
      const { density, width, height } = await sharp(png.bytes).metadata();
      expect([density, width]).toEqual([300, pixels]);
      expect(height).toBeGreaterThan(pixels / 2);
    }
    expect(await page.locator('.print-figure').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the data of a plot are saved as CSV', async () => {
    const { page, context } = await open(`/explore?${FILTER}&panels=polymer`);
    await ready(page);
    const points = (await save(page, figureOf(page), 'Data of this plot (CSV)')).bytes.toString().split('\r\n');
    expect(points[0]).toBe('recordId,concentration_wt_percent,fiber_diameter_nm,solvent_system,panel_polymer,records');
    expect(points).toHaveLength(81);
    expect(points.slice(1, -1).every((line) => /^\d+,[\d.]*,[\d.]+,[^,]*,PVDF,\d+$/.test(line))).toBe(true);
    const cells = (await save(page, figureOf(page, 'Processing window'), 'Data of this plot (CSV)')).bytes.toString();
    const [heads, ...rows] = cells.trimEnd().split('\r\n');
    expect(heads).toMatch(/^voltage_kv_from,voltage_kv_to,tip_dist_cm_from,tip_dist_cm_to,tried_experiments,/);
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[4]), 0)).toBe(190);
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[8]), 0)).toBe(79);
    await context.close();
  });
});
