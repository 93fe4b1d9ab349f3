/**
 * `npm run pictures [-- --url http://localhost:8080]`: writes the screenshots in docs/pictures/, from a running service with the
 * demo.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@esd/dev-stack/root';
import { browserProgram } from '@esd/testing/browser';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const PICTURES = [
  { name: 'explore', path: '/explore?polymer=%3DPVDF&voltageMin=5&voltageMax=30' },
  { name: 'record', path: '/record/207' },
  { name: 'contribute', path: '/contribute' },
] as const;
const SIZE = { width: 1280, height: 800 };
const WIDTH = 960;

const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://localhost:8080' } } });
const executablePath = browserProgram();
if (executablePath === undefined) process.exit(1);
const folder = join(root, 'docs', 'pictures');
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', deviceScaleFactor: 1.5 });
  for (const { name, path } of PICTURES) {
    await page.goto(values.url + path, { waitUntil: 'networkidle' });
    const picture = await sharp(await page.screenshot())
      .resize(WIDTH)
      .png({ palette: true, colours: 64 })
      .toBuffer();
    await writeFile(join(folder, `${name}.png`), picture);
    console.log(`${name}.png: ${Math.round(picture.length / 1024)} KB`);
  }
} finally {
  await browser.close();
}
