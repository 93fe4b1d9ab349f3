import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Media, startMedia } from '../../media.ts';

let media: Media;
beforeAll(async () => {
  media = await startMedia();
});
afterAll(() => media.stop());

// `make.py` has the settings of each program.
test.each([
  ['imagej', 5, 'ImageJ'],
  ['tifffile-imagej', 5, 'ImageJ'],
  ['tifffile-ome', 5, 'the OME-XML'],
  ['libvips', 50, 'the resolution of the TIFF'],
])('the TIFF %s.tif has %d nm per pixel, from %s', async (name, pixelSize, source) => {
  const file = await readFile(new URL(`${name}.tif`, import.meta.url));
  const { status, json } = await media.upload(file);
  expect([status, json]).toMatchObject([
    201,
    {
      width: 40,
      height: 30,
      imageDefinition: { pixelSize, pixelSizeUnit: 'nm' },
      warnings: [{ code: 'PIXEL_SIZE_FROM_FILE', message: `${pixelSize} nm per pixel, from ${source}.` }],
    },
  ]);
});
