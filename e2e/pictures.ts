/**
 * `npm run pictures [-- --url http://localhost:8080] [-- --data-dir .esd] [-- --to .pictures]`: takes pictures of 12 pages in 4 widths and
 * 2 themes, for people to review, from a running service with the demo. With `--publish`, it writes the screenshots in docs/pictures/
 * instead, and the pictures of apps/web for social networks and home screens.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@esd/dev-stack/root';
import { browserProgram } from '@esd/testing/browser';
import { type Browser, chromium } from 'playwright-core';
import sharp from 'sharp';
import { z } from 'zod';
import { signInOn } from './support/staff.ts';

/** The reviewed pages: the name of the picture, and the path. Those with `true` need a session. */
const PAGES: readonly (readonly [name: string, path: string, isSignedIn?: boolean])[] = [
  ['home', '/'],
  ['explore', '/explore?polymer=%3DPVDF&voltageMin=5&voltageMax=30'],
  ['coverage', '/explore?tab=coverage'],
  ['record', '/record/207'],
  ['paper', '/paper/10.3390%2Fnano10061221'],
  ['release', '/release/v1.0.0'],
  ['releases', '/releases'],
  ['contribute', '/contribute'],
  ['docs', '/docs'],
  ['not-found', '/nope'],
  ['account', '/account', true],
  ['moderate', '/moderate', true],
];
const WIDTHS = [320, 768, 1280, 1920];
const THEMES = ['light', 'dark'] as const;

const PICTURES = [
  { name: 'explore', path: '/explore?polymer=%3DPVDF&voltageMin=5&voltageMax=30' },
  { name: 'record', path: '/record/207' },
  { name: 'contribute', path: '/contribute' },
] as const;
const SIZE = { width: 1280, height: 800 };
const WIDTH = 960;

/** The size that social networks show without cropping. */
const PREVIEW = { width: 1200, height: 630 };
/** The icon of home screens, in pixels. */
const TOUCH_ICON = 180;
/** Replaces the start page by its heading, its size, the day, and its figure. */
const SHOW_PREVIEW = `{
  const [sizes, figure] = ['.sizes', 'svg.plot.wide'].map((selector) => document.querySelector(selector));
  const counts = [...sizes.children].map(({ textContent }) => textContent.trim().replace(/\\s+/g, ' '));
  const day = new Date().toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' });
  const element = (name, text, css) => {
    const made = Object.assign(document.createElement(name), { textContent: text });
    made.style.cssText = css;
    return made;
  };
  figure.style.cssText = 'display: block; height: 504px; max-width: none; width: 1120px';
  document.body.style.cssText = 'padding: 16px 40px';
  document.body.replaceChildren(
    element('h1', 'Electrospinning Dataset: fiber diameter by polymer', 'font-size: 34px; margin: 0; white-space: nowrap'),
    element('p', [...counts, day].join(' · '), 'font-size: 22px; margin: 4px 0 8px'),
    figure,
  );
}`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8080' },
    'data-dir': { type: 'string', default: join(root, '.esd') },
    to: { type: 'string', default: join(root, '.pictures') },
    publish: { type: 'boolean', default: false },
  },
});
const executablePath = browserProgram();
if (executablePath === undefined) process.exit(1);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await (values.publish ? publish(browser) : review(browser, values.to));
} finally {
  await browser.close();
}

/** Takes a picture of the whole of each page, named `{page}-{width}-{theme}.png`. */
async function review(browser: Browser, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const credentials = z
    .object({ email: z.string(), password: z.string() })
    .parse(JSON.parse(await readFile(join(values['data-dir'], 'admin.json'), 'utf8')));
  for (const colorScheme of THEMES) {
    const page = await browser.newPage({ colorScheme });
    let hasSession = false;
    for (const [name, path, isSignedIn = false] of PAGES) {
      if (isSignedIn && !hasSession) {
        await page.goto(`${values.url}/account`);
        await signInOn(page, credentials);
        await page.getByRole('link', { name: /^My account/ }).waitFor();
        hasSession = true;
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width < 768 ? 720 : 1080 });
        await page.goto(values.url + path, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
    await page.close();
  }
  console.log(`${PAGES.length * WIDTHS.length * THEMES.length} pictures in ${folder}`);
}

async function publish(browser: Browser): Promise<void> {
  const folder = join(root, 'docs', 'pictures');
  await mkdir(folder, { recursive: true });
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', deviceScaleFactor: 1.5 });
  for (const { name, path } of PICTURES) {
    await page.goto(values.url + path, { waitUntil: 'networkidle' });
    const picture = await sharp(await page.screenshot())
      .resize(WIDTH)
      .png({ palette: true, colours: 64 })
      .toBuffer();
    await writeFile(join(folder, `${name}.png`), picture);
    report(`${name}.png`, picture);
  }
  const preview = await browser.newPage({ viewport: PREVIEW, colorScheme: 'light' });
  await preview.goto(values.url, { waitUntil: 'networkidle' });
  await preview.evaluate(SHOW_PREVIEW);
  const web = join(root, 'apps', 'web', 'src');
  const picture = await sharp(await preview.screenshot())
    .png({ palette: true, colours: 32 })
    .toBuffer();
  await writeFile(join(web, 'preview.png'), picture);
  report('preview.png', picture);
  const icon = await sharp(join(web, 'icon.svg'), { density: 72 * (TOUCH_ICON / 16) })
    .resize(TOUCH_ICON)
    .flatten({ background: '#0b4f86' })
    .png({ palette: true })
    .toBuffer();
  await writeFile(join(web, 'touch-icon.png'), icon);
  report('touch-icon.png', icon);
}

function report(name: string, picture: Buffer): void {
  console.log(`${name}: ${Math.round(picture.length / 1024)} KB`);
}
