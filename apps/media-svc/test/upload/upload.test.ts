import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { z } from 'zod';
import { ImageSize } from '@esd/proto/esd/media/v1/media';
import { counter } from '@esd/service/health/metrics';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { colorImage, grayImage, plainTiff, pngChunks, zeroPng } from '../images.ts';
import { claimImages } from '../../src/attach/claim-images.ts';
import { publishImages } from '../../src/publish/publish-images.ts';
import { inSize, log, type Media, startMedia } from '../media.ts';

let media: Media;
beforeAll(async () => {
  media = await startMedia();
  // The tests read stored PNGs from buffers; the service reads only files.
  sharp.unblock({ operation: ['VipsForeignLoadPngBuffer'] });
});
afterAll(() => media.stop());

const uploadResponse = z.strictObject({
  imageId: z.uuid(),
  imageType: z.string().optional(),
  imageDefinition: z.record(z.string(), z.unknown()).optional(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  contentUrl: z.string(),
  warnings: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
});

async function stored(file: Buffer, fields: Record<string, string> = {}) {
  const { status, json } = await media.upload(file, fields);
  expect([status, json]).toEqual([201, expect.anything()]);
  const uploaded = uploadResponse.parse(json);
  const content = await media.content(uploaded.imageId);
  const png = Buffer.from(await content.arrayBuffer());
  expect([content.status, png.length]).toEqual([200, uploaded.bytes]);
  return { ...uploaded, png, head: await sharp(png).metadata() };
}

const perMeter = (png: Buffer) => {
  const scale = pngChunks(png).find(({ type }) => type === 'pHYs')?.data;
  return scale && { x: scale.readUInt32BE(0), y: scale.readUInt32BE(4), unit: scale[8] };
};

describe('a valid image', () => {
  test('keeps its pixels, and no metadata except its scale', async () => {
    const source = await grayImage(300, 200)
      .withExif({ IFD0: { Copyright: 'none' } })
      .png()
      .toBuffer();
    const { png, head, ...uploaded } = await stored(source, {
      imageType: ' SEM ',
      imageDefinition: '{"pixelSize": 4, "detector": "SE2"}',
    });
    expect(uploaded).toMatchObject({
      imageType: 'SEM',
      imageDefinition: { pixelSize: 4, detector: 'SE2' },
      width: 300,
      height: 200,
      contentUrl: `/images/${uploaded.imageId}/content`,
      warnings: [],
    });
    expect([head.channels, head.depth, head.exif]).toEqual([1, 'uchar', undefined]);
    expect(new Set(pngChunks(png).map(({ type }) => type))).toEqual(new Set(['IHDR', 'pHYs', 'IDAT', 'IEND']));
    expect(perMeter(png)).toEqual({ x: 250_000_000, y: 250_000_000, unit: 1 });
    const raw = async (file: Buffer) => sharp(file).raw().toBuffer();
    expect((await raw(png)).equals(await raw(source))).toBe(true);
  });

  test('has no scale unless one is given, even if it has a print size', async () => {
    const { png } = await stored(await grayImage(20, 20).withDensity(300).png().toBuffer());
    expect(perMeter(png)).toEqual({ x: 1, y: 1, unit: 0 });
  });

  test('of 16 bits keeps its depth', async () => {
    const { png, head } = await stored(await grayImage(64, 48, 'ushort').tiff({ compression: 'lzw' }).toBuffer());
    expect([head.channels, head.depth, head.space]).toEqual([1, 'ushort', 'grey16']);
    expect(pngChunks(png)[0]?.data[8]).toBe(16);
  });

  test('in TIFF format provides its scale, unless the uploader gives another one', async () => {
    const tiff = await grayImage(30, 30).tiff({ xres: 20_000, yres: 20_000 }).toBuffer();
    const { imageDefinition, warnings, png } = await stored(tiff, { imageDefinition: '{"detector":"SE2"}' });
    expect(imageDefinition).toEqual({ detector: 'SE2', pixelSize: 50, pixelSizeUnit: 'nm' });
    expect(warnings.map(({ code }) => code)).toEqual(['PIXEL_SIZE_FROM_FILE']);
    expect(perMeter(png)?.x).toBe(20_000_000);
    const uploaded = await stored(tiff, { imageDefinition: '{"pixelSize":0.25,"pixelSizeUnit":"µm"}' });
    expect([uploaded.imageDefinition, uploaded.warnings]).toEqual([{ pixelSize: 0.25, pixelSizeUnit: 'µm' }, []]);
    expect(perMeter(uploaded.png)?.x).toBe(4_000_000);
    const printed = await stored(await grayImage(30, 30).tiff({ xres: 11.8, yres: 11.8 }).toBuffer());
    expect([printed.imageDefinition, printed.warnings]).toEqual([undefined, []]);
  });

  test('is turned upright', async () => {
    const { width, height } = await stored(await colorImage(30, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect([width, height]).toEqual([20, 30]);
  });

  test('of several pages or frames is stored as the first of them', async () => {
    const frames = [
      await colorImage(30, 20, '#ff0000').png().toBuffer(),
      await colorImage(30, 20, '#0000ff').png().toBuffer(),
    ];
    const joined = () => sharp(frames, { join: { animated: true } });
    for (const file of [
      await joined()
        .webp({ delay: [99, 99] })
        .toBuffer(),
      await joined().tiff().toBuffer(),
    ]) {
      const { width, height, warnings, png } = await stored(file);
      expect([width, height, warnings.map(({ code }) => code)]).toEqual([30, 20, ['FIRST_PAGE_ONLY']]);
      const [red = 0, , blue = 255] = await sharp(png).raw().toBuffer();
      expect(red).toBeGreaterThan(200);
      expect(blue).toBeLessThan(50);
    }
  });

  test('is recognized by its content, not by its name', async () => {
    expect((await media.upload(await grayImage(9, 9).jpeg().toBuffer(), { name: 'x.svg' })).status).toBe(201);
  });

  test('loses data that is appended to it', async () => {
    const source = Buffer.concat([
      await grayImage(9, 9, 'uchar', 7).png().toBuffer(),
      Buffer.from('<script>alert(1)</script>'),
    ]);
    const { png } = await stored(source);
    expect(png.includes('script')).toBe(false);
  });

  test('may have 100 megapixels, but not one row more', async () => {
    const edge = await colorImage(10_000, 10_000).png({ compressionLevel: 1 }).toBuffer();
    expect((await media.upload(edge)).status).toBe(201);
    const beyond = await media.upload(await colorImage(10_000, 10_001).png({ compressionLevel: 1 }).toBuffer());
    expect([beyond.status, beyond.json]).toMatchObject([413, { code: 'PAYLOAD_TOO_LARGE' }]);
  });

  test('with the content of another image is stored once, under a new id', async () => {
    const file = await grayImage(50, 50, 'uchar', 3).png().toBuffer();
    const [one, two] = [await stored(file), await stored(file)];
    expect([one.sha256 === two.sha256, one.imageId === two.imageId]).toEqual([true, false]);
    const blobs = await media.database.selectFrom('blob').select('folder').where('sha256', '=', one.sha256).execute();
    expect(blobs).toHaveLength(1);
  });
});

describe('an upload is refused', () => {
  const png = () => grayImage(100, 100).png().toBuffer();
  const cut = async () => (await png()).subarray(0, 3_000);
  test.each<[string, () => Promise<Buffer> | Buffer, number, string]>([
    ['an empty file', () => Buffer.alloc(0), 400, 'VALIDATION_FAILED'],
    ['a text file', () => Buffer.from('<html></html>'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'an SVG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a GIF', () => colorImage(9, 9).gif().toBuffer(), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an AVIF', () => colorImage(9, 9).avif().toBuffer(), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a PDF', () => Buffer.from('%PDF-1.7\n'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'HTML before a PNG',
      async () => Buffer.concat([Buffer.from('<html>'), await png()]),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a truncated PNG', cut, 400, 'INVALID_REQUEST'],
    [
      'a truncated JPEG',
      async () => (await grayImage(300, 300).jpeg().toBuffer()).subarray(0, 9_000),
      400,
      'INVALID_REQUEST',
    ],
    [
      'a truncated TIFF',
      async () => (await grayImage(300, 300).tiff().toBuffer()).subarray(0, 9_000),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a truncated WebP',
      async () => (await grayImage(300, 300).webp().toBuffer()).subarray(0, 900),
      400,
      'INVALID_REQUEST',
    ],
    ['a PNG of 900 megapixels', () => zeroPng(30_000, 30_000), 413, 'PAYLOAD_TOO_LARGE'],
    ['a TIFF that declares a huge size', () => plainTiff(60_000, 60_000), 413, 'PAYLOAD_TOO_LARGE'],
    ['a PNG with fewer pixels than declared', () => zeroPng(9_000, 11_000).subarray(0, 500), 400, 'INVALID_REQUEST'],
    [
      'an image that must be decoded as a whole',
      () => colorImage(9_000, 9_000).jpeg({ progressive: true }).toBuffer(),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'a TIFF of floating-point samples',
      () => plainTiff(10, 10, { bits: 32, sampleFormat: 3 }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['20 MB and a byte', () => Buffer.alloc(20 * 1024 * 1024 + 1), 413, 'PAYLOAD_TOO_LARGE'],
  ])('for %s', async (_name, make, status, code) => {
    const { json, ...refused } = await media.upload(await make());
    expect([refused.status, json]).toMatchObject([
      status,
      { success: false, code, message: expect.stringMatching(/\.$/) },
    ]);
  });

  test.each<[Record<string, string>, string]>([
    [{ imageDefinition: '[1]' }, 'imageDefinition'],
    [{ imageDefinition: '{' }, 'imageDefinition'],
    [{ imageDefinition: '{"a":{"b":{"c":{"d":{}}}}}' }, 'imageDefinition'],
    [{ imageDefinition: `{"a":"${'x'.repeat(5_000)}"}` }, 'imageDefinition'],
    [{ imageDefinition: '{"a":"\\u0000"}' }, 'imageDefinition'],
    [{ imageDefinition: '{"a":[{"b\\u202E":1}]}' }, 'imageDefinition'],
    [{ imageDefinition: '{"pixelSize":"5"}' }, 'imageDefinition.pixelSize'],
    [{ imageDefinition: '{"pixelSize":-5}' }, 'imageDefinition.pixelSize'],
    [{ imageDefinition: '{"pixelSize":5,"pixelSizeUnit":"inch"}' }, 'imageDefinition.pixelSizeUnit'],
    [{ imageType: 'x'.repeat(201) }, 'imageType'],
    [{ imageType: 'SEM\u009B' }, 'imageType'],
    [{ imagetype: 'SEM' }, 'imagetype'],
  ])('for the fields %j', async (fields, path) => {
    const { status, json } = await media.upload(await png(), fields);
    expect([status, json]).toMatchObject([400, { code: 'VALIDATION_FAILED', errors: [{ path }] }]);
  });

  test('and leaves nothing behind', async () => {
    await media.upload(await cut());
    const { count } = await media.database
      .selectFrom('image')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const blobs = await media.database.selectFrom('blob').select('folder').execute();
    const keys: string[] = [];
    for await (const { key } of media.objects.list()) keys.push(key);
    expect(count).toBeGreaterThan(0);
    expect(new Set(keys.map((key) => key.split('/')[0]))).toEqual(new Set(blobs.map(({ folder }) => folder)));
  });
});

const blobOf = (imageId: string) =>
  media.database
    .selectFrom('image')
    .innerJoin('blob', 'blob.sha256', 'image.sha256')
    .select('blob.folder')
    .where('image.id', '=', imageId)
    .executeTakeFirstOrThrow();

describe('content', () => {
  test('supports ranges, entity tags, and smaller sizes', async () => {
    const { png, imageId } = await stored(await grayImage(1_500, 400, 'uchar', 5).png().toBuffer());
    const whole = await media.content(imageId);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename="${imageId}.png"`,
      'accept-ranges': 'bytes',
    });
    const etag = whole.headers.get('etag') ?? '';
    const part = await media.content(imageId, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${png.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(png.subarray(10, 20));
    expect((await media.content(imageId, { range: `bytes=${png.length}-` })).status).toBe(416);
    expect((await media.content(imageId, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await media.content(imageId, { 'if-none-match': etag })).status).toBe(304);
    for (const [size, width, height] of [
      [ImageSize.IMAGE_SIZE_MEDIUM, 1_024, 273],
      [ImageSize.IMAGE_SIZE_THUMB, 256, 68],
    ] as const) {
      const small = await media.content(imageId, inSize(imageId, size));
      const head = await sharp(Buffer.from(await small.arrayBuffer())).metadata();
      expect([head.width, head.height, small.headers.get('etag') === etag]).toEqual([width, height, false]);
    }
    const thumb = await media.content(imageId, inSize(imageId, ImageSize.IMAGE_SIZE_THUMB));
    expect(thumb.headers.get('content-disposition')).toBe(`inline; filename="${imageId}-thumb.png"`);
    expect((await media.content(imageId, { [METADATA.streamRequest]: 'Cv8' })).status).toBe(400);
    expect((await media.content('0190d2b0-0000-7000-8000-000000000001')).status).toBe(404);
  });

  test('that the store has lost returns 503 and is counted, until the same image is uploaded again', async () => {
    const file = await grayImage(70, 50, 'uchar', 9).png().toBuffer();
    // The image has not been read before, so it is not cached.
    const { imageId } = uploadResponse.parse((await media.upload(file)).json);
    const alarms = async () => {
      return (await counter('esd_images_lost_total').get()).values[0]?.value ?? 0;
    };
    const [before, { folder }] = [await alarms(), await blobOf(imageId)];
    await media.objects.remove([`${folder}/full.png`]);
    const lost = await media.content(imageId);
    expect([lost.status, lost.headers.get('retry-after'), lost.headers.get('cache-control')]).toEqual([
      503,
      '60',
      'no-store',
    ]);
    expect(await lost.json()).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await alarms()).toBe(before + 1);
    expect((await media.content(imageId, {}, 'HEAD')).status).toBe(503);
    await media.upload(file);
    expect((await media.content(imageId)).status).toBe(200);
  });

  test('beyond 8 MB is streamed, including ranges', async () => {
    const { imageId, png } = await stored(
      await grayImage(3_500, 3_000, 'uchar', 11).png({ compressionLevel: 1 }).toBuffer(),
    );
    expect(png.length).toBeGreaterThan(8 * 1024 * 1024);
    const part = await media.content(imageId, { range: 'bytes=-7' });
    expect(Buffer.from(await part.arrayBuffer())).toEqual(png.subarray(-7));
  });
});

test('an image may be cached only after its record is published', async () => {
  const { imageId } = await stored(await grayImage(60, 50, 'uchar', 6).png().toBuffer());
  const cacheControl = async (headers = {}) => {
    const { status, headers: given } = await media.content(imageId, headers);
    return [status, given.get('cache-control')];
  };
  const etag = (await media.content(imageId)).headers.get('etag') ?? '';
  const isHeld = { 'if-none-match': etag };
  const attach = (recordId: number) => claimImages(media.database, [{ imageId, recordId }], 'a');
  expect([await cacheControl(), await cacheControl(isHeld)]).toEqual([
    [200, 'private, no-store'],
    [304, 'private, no-store'],
  ]);
  await attach(77);
  expect(await cacheControl()).toEqual([200, 'private, no-store']);
  await publishImages(media.database, [{ recordId: 77, imageIds: [imageId], approvedAt: new Date() }], log);
  const immutable = 'public, max-age=31536000, immutable';
  expect([await cacheControl(), await cacheControl(isHeld)]).toEqual([
    [200, immutable],
    [304, immutable],
  ]);
});

test('a client may upload 200 MB of unattached images a day, regardless of other clients', async () => {
  await media.database.updateTable('image').set({ client: '198.51.100.7' }).execute();
  await media.database.updateTable('blob').set({ bytes: 150e6 }).execute();
  const file = await grayImage(40, 40, 'uchar', 21).png().toBuffer();
  const refused = await media.upload(file, {}, '198.51.100.7');
  expect([refused.status, refused.json]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
  expect((await media.upload(file, {}, '198.51.100.8')).status).toBe(201);
  // Attached images do not count.
  await media.database.updateTable('image').set({ record_id: 1 }).where('client', '=', '198.51.100.7').execute();
  expect((await media.upload(file, {}, '198.51.100.7')).status).toBe(201);
});

describe('while the store is down', () => {
  test('uploads are refused and leave nothing behind, and cached images can be read', async () => {
    const cachedImage = uploadResponse.parse(
      (await media.upload(await grayImage(600, 600, 'uchar', 31).png().toBuffer())).json,
    );
    const unread = uploadResponse.parse(
      (await media.upload(await grayImage(600, 600, 'uchar', 33).png().toBuffer())).json,
    );
    await media.content(cachedImage.imageId, inSize(cachedImage.imageId, ImageSize.IMAGE_SIZE_THUMB));
    const before = await media.database.selectFrom('image').select('id').execute();
    await media.store.stop();
    try {
      const refused = await media.upload(await grayImage(600, 600, 'uchar', 32).png().toBuffer());
      expect([refused.status, refused.json]).toMatchObject([503, { code: 'UNAVAILABLE' }]);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(
        (await media.content(cachedImage.imageId, inSize(cachedImage.imageId, ImageSize.IMAGE_SIZE_THUMB))).status,
      ).toBe(200);
      expect((await media.content(unread.imageId)).status).toBe(503);
      expect(await media.database.selectFrom('image').select('id').execute()).toHaveLength(before.length);
    } finally {
      await media.store.start();
    }
    expect((await media.upload(await grayImage(600, 600, 'uchar', 32).png().toBuffer())).status).toBe(201);
  });
});
