import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { z } from 'zod';
import { ImageSize } from '@esd/proto/esd/media/v1/media';
import { tiff, type TiffPicture, type TiffTag } from '@esd/testing/tiff';
import { colorImage, grayImage } from '../images.ts';
import { inSize, type Media, startMedia } from '../media.ts';

const KIB64 = 65_536;

let media: Media;
beforeAll(async () => {
  media = await startMedia();
  // The tests read stored PNGs from buffers; the service reads only files.
  sharp.unblock({ operation: ['VipsForeignLoadPngBuffer'] });
});
afterAll(() => media.stop());

const uploaded = z.looseObject({
  imageId: z.string(),
  imageDefinition: z.record(z.string(), z.unknown()).optional(),
  width: z.int(),
  height: z.int(),
  stretched: z.literal(true).optional(),
  warnings: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
});

async function store(file: Buffer, fields: Record<string, string> = {}) {
  const { status, json } = await media.upload(file, fields);
  expect([status, json]).toEqual([201, expect.anything()]);
  return uploaded.parse(json);
}

/** Returns the raw samples of an image in a size, with their number per pixel. */
async function samplesOf(imageId: string, size: ImageSize = ImageSize.IMAGE_SIZE_UNSPECIFIED) {
  const content = Buffer.from(await (await media.content(imageId, inSize(imageId, size))).arrayBuffer());
  const { depth, space, width } = await sharp(content).metadata();
  const isWide = depth === 'ushort';
  const image = sharp(content).toColourspace(space);
  const { data, info } = await image.raw({ depth: isWide ? 'ushort' : 'uchar' }).toBuffer({ resolveWithObject: true });
  const samples = isWide ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : new Uint8Array(data);
  return { samples, width, channels: info.channels, depth };
}

const WIDTH = 40;
const HEIGHT = 30;
const flat = (depth: 8 | 16 = 8) => new (depth === 8 ? Uint8Array : Uint16Array)(WIDTH * HEIGHT).fill(90);
const picture = (tags: readonly TiffTag[] = [], depth: 8 | 16 = 8): TiffPicture => ({
  width: WIDTH,
  height: HEIGHT,
  samples: flat(depth),
  tags,
});
const one = (...tags: TiffTag[]): Buffer => tiff([picture(tags)]);

const text = (tag: number, content: string | Buffer): TiffTag => [
  tag,
  2,
  Buffer.from(`${content.toString('latin1')}\0`, 'latin1'),
];
/** Pixels per unit as millionths, or as a larger part if the number is large, as ImageJ writes them. */
const resolution = (x: number, y = x): TiffTag[] => {
  const scale = Math.min(1e6, Math.floor(2 ** 31 / Math.max(x, y)));
  return [
    [282, 5, [Math.round(x * scale), scale]],
    [283, 5, [Math.round(y * scale), scale]],
  ];
};
const resolutionUnit = (unit: number): TiffTag => [296, 3, [unit]];
const imageJ = (lines: string | Buffer, x: number, y = x): Buffer =>
  tiff(
    [
      picture([
        text(
          270,
          Buffer.concat([Buffer.from('ImageJ=1.54f\n'), Buffer.from(lines), Buffer.from('\nmin=0.0\nmax=255.0\n')]),
        ),
        ...resolution(x, y),
      ]),
    ],
    {
      isBigEndian: true,
    },
  );
const feiText = (width: string, height = width, section = 'Scan') =>
  `[User]\r\nDate=01/02/2020\r\n[Beam]\r\nHV=5000\r\n[${section}]\r\nInternalScan=true\r\nPixelWidth=${width}\r\nPixelHeight=${height}\r\nHorFieldsize=2.56e-006\r\n[Stage]\r\nStageX=0\r\n`;
const fei = (...texts: Parameters<typeof feiText>) => one(text(34_682, feiText(...texts)));
const zeissText = (size: string) =>
  `\r\n0\r\n1.1e-08\r\nAP_IMAGE_PIXEL_SIZE\r\nImage Pixel Size = ${size}\r\nAP_PIXEL_SIZE\r\nPixel Size = 99.0 nm\r\nAP_MAG\r\nMag = 10.00 K X\r\n`;
const zeiss = (size: string) => one(text(34_118, Buffer.from(zeissText(size), 'latin1')));
/** A thumbnail precedes the texts, as in files of MIRA3. */
const tescan = (size: string) =>
  one([
    50_431,
    7,
    Buffer.concat([
      Buffer.from([0x10, 0, 0, 0, 1, 0, 0xff, 0xd8, 0xff, 0xfe, 0x80, 2, 0]),
      Buffer.from(`AccFrames=1\nDevice=MIRA3\nPixelSizeX=${size}\nPixelSizeY=${size}\nSignComp=0\n\0`),
    ]),
  ]);
const omeText = (attributes: string, element = 'Pixels') =>
  `<?xml version="1.0" encoding="UTF-8"?><OME><Image ID="Image:0"><${element} ID="Pixels:0" SizeX="40" ${attributes}><TiffData IFD="0"/></${element}></Image></OME>`;
const ome = (attributes: string, element?: string) => one(text(270, Buffer.from(omeText(attributes, element))));

/** A PNG with a pHYs chunk. */
async function physPng(x: number, y: number, unit: number): Promise<Buffer> {
  const file = await grayImage(WIDTH, HEIGHT).withDensity(300).png().toBuffer();
  const at = file.indexOf('pHYs') + 4;
  file.writeUInt32BE(x, at);
  file.writeUInt32BE(y, at + 4);
  file[at + 8] = unit;
  file.writeUInt32BE(crc32(file.subarray(at - 4, at + 9)), at + 9);
  return file;
}

const NONE = [undefined, []] as const;
const from = (nm: number, source: string) =>
  [{ pixelSize: nm, pixelSizeUnit: 'nm' }, [['PIXEL_SIZE_FROM_FILE', `${nm} nm per pixel, from ${source}.`]]] as const;
const conflict = (...texts: string[]) =>
  [
    undefined,
    [
      [
        'PIXEL_SIZE_CONFLICT',
        `The file states different pixel sizes: ${texts.join('; ')}. Send the correct one as \`imageDefinition.pixelSize\`.`,
      ],
    ],
  ] as const;

async function scaleOf(file: Buffer, fields: Record<string, string> = {}) {
  const { imageDefinition, warnings } = await store(file, fields);
  return [imageDefinition, warnings.map(({ code, message }) => [code, message])];
}

const FEI = 'the FEI header';
const ZEISS = 'the Zeiss header';
const TESCAN = 'the TESCAN header';
const OME = 'the OME-XML';
const TIFF = 'the resolution of the TIFF';

describe('the scale of a file is read if the file states it in a unit', () => {
  test.each<[string, Buffer | Promise<Buffer>, ReturnType<typeof from | typeof conflict> | typeof NONE]>([
    ['ImageJ, micron', imageJ('unit=micron', 200), from(5, 'ImageJ')],
    ['ImageJ, um', imageJ('unit=um\nspacing=2.5', 200), from(5, 'ImageJ')],
    ['ImageJ, µm in UTF-8', imageJ('unit=µm', 200), from(5, 'ImageJ')],
    ['ImageJ, µm in Latin-1', imageJ(Buffer.from('unit=µm', 'latin1'), 200), from(5, 'ImageJ')],
    ['ImageJ, escaped µm', imageJ('unit=\\u00B5m', 200), from(5, 'ImageJ')],
    ['ImageJ, nm', imageJ('unit=nm', 0.25), from(4, 'ImageJ')],
    ['ImageJ, mm', imageJ('unit=mm', 1000), from(1000, 'ImageJ')],
    ['ImageJ, cm', imageJ('unit=cm', 20_000), from(500, 'ImageJ')],
    ['ImageJ, inch', imageJ('unit=inch', 2_540), from(10_000, 'ImageJ')],
    ['ImageJ without a unit', imageJ('spacing=2.5', 200), NONE],
    ['ImageJ, pixel', imageJ('unit=pixel', 200), NONE],
    ['ImageJ, furlong', imageJ('unit=furlong', 200), NONE],
    [
      'ImageJ without a unit, but with ResolutionUnit',
      one(text(270, 'ImageJ=1.54f\n'), ...resolution(20_000), resolutionUnit(3)),
      NONE,
    ],
    ['ImageJ, the resolution of a screen in inches', imageJ('unit=inch', 72), NONE],
    ['ImageJ, the resolution of a screen in cm', imageJ('unit=cm', 96 / 2.54), NONE],
    ['ImageJ, the resolution of a printer', imageJ('unit=inch', 600), NONE],
    ['ImageJ, X and Y within 1 %', imageJ('unit=um', 200, 199), from(5, 'ImageJ')],
    ['ImageJ, X and Y differ', imageJ('unit=um', 200, 197), conflict('5 or 5.07614 nm from ImageJ')],
    ['ImageJ, another unit of Y', imageJ('unit=um\nyunit=nm', 200, 0.2), conflict('5 or 5000 nm from ImageJ')],
    ['pixels per inch', one(...resolution(508_000), resolutionUnit(2)), from(50, TIFF)],
    ['pixels per inch by default', one(...resolution(50_800)), from(500, TIFF)],
    ['pixels per cm', one(...resolution(2000), resolutionUnit(3)), from(5_000, TIFF)],
    ['10 µm per pixel', one(...resolution(1000), resolutionUnit(3)), from(10_000, TIFF)],
    ['more than 10 µm per pixel', one(...resolution(999), resolutionUnit(3)), NONE],
    ['no unit of resolution', one(...resolution(2000), resolutionUnit(1)), NONE],
    [
      'X and Y of the resolution differ',
      one(...resolution(2000, 1000), resolutionUnit(3)),
      conflict('5000 or 10000 nm from the resolution of the TIFF'),
    ],
    ['FEI', fei('2.5e-009'), from(2.5, FEI)],
    ['FEI, EScan', fei('2.5e-009', '2.5e-009', 'EScan'), from(2.5, FEI)],
    ['FEI, another section', fei('2.5e-009', '2.5e-009', 'IChip'), NONE],
    [
      'FEI, two sections that differ',
      one(text(34_682, feiText('2e-9') + feiText('4e-9', '4e-9', 'EScan'))),
      conflict('2 or 4 nm from the FEI header'),
    ],
    ['FEI, width and height differ', fei('2e-9', '3e-9'), conflict('2 or 3 nm from the FEI header')],
    ['FEI, a height of 0', fei('2e-9', '0'), conflict('2 or 0 nm from the FEI header')],
    ['Zeiss, pm', zeiss('558.2 pm'), from(0.5582, ZEISS)],
    ['Zeiss, nm', zeiss('5.58 nm'), from(5.58, ZEISS)],
    ['Zeiss, µm', zeiss('1.24 µm'), from(1240, ZEISS)],
    ['Zeiss, mm', zeiss('0.5 mm'), from(500_000, ZEISS)],
    ['Zeiss, the pixels of the monitor', one(text(34_118, 'AP_PIXEL_SIZE\r\nPixel Size = 99.0 nm\r\n')), NONE],
    ['TESCAN', tescan('1.5259e-08'), from(15.259, TESCAN)],
    [
      'OME-XML, the default unit',
      ome('PhysicalSizeX="0.0055" PhysicalSizeY="0.0055" PhysicalSizeZ="2"'),
      from(5.5, OME),
    ],
    ['OME-XML, nm', ome("PhysicalSizeX='5.5' PhysicalSizeXUnit='nm'"), from(5.5, OME)],
    ['OME-XML, µm', ome('PhysicalSizeXUnit="µm" PhysicalSizeX="0.1"'), from(100, OME)],
    ['OME-XML, µm as an entity', ome('PhysicalSizeX="0.1" PhysicalSizeXUnit="&#181;m"', 'ome:Pixels'), from(100, OME)],
    ['OME-XML without a size', ome('PhysicalSizeZ="5"'), NONE],
    [
      'OME-XML, X and Y differ',
      ome('PhysicalSizeX="1" PhysicalSizeY="2"'),
      conflict('1000 or 2000 nm from the OME-XML'),
    ],
    ['PNG', physPng(250_000_000, 250_000_000, 1), from(4, 'the resolution of the PNG')],
    ['PNG, the resolution of a printer', physPng(11_811, 11_811, 1), NONE],
    ['PNG without a unit', physPng(250_000_000, 250_000_000, 0), NONE],
    ['PNG, X and Y differ', physPng(250_000_000, 200_000_000, 1), conflict('4 or 5 nm from the resolution of the PNG')],
    ['JPEG', grayImage(9, 9).withDensity(25_400).jpeg().toBuffer(), NONE],
    [
      'two sources that agree',
      one(text(34_682, feiText('2.5e-9')), ...resolution(3_990_000), resolutionUnit(3)),
      from(2.5, FEI),
    ],
    [
      'two sources that differ',
      one(text(34_118, zeissText('5 nm')), ...resolution(200_000), resolutionUnit(3)),
      conflict('5 nm from the Zeiss header', '50 nm from the resolution of the TIFF'),
    ],
    [
      'a header and the resolution of a screen',
      one(text(34_118, zeissText('5 nm')), ...resolution(72), resolutionUnit(2)),
      from(5, ZEISS),
    ],
    ['a header of 1 pm', zeiss('1 pm'), from(0.001, ZEISS)],
    ['a header of less than 1 pm', zeiss('0.99 pm'), NONE],
    ['a header of 1 mm', zeiss('1 mm'), from(1e6, ZEISS)],
    ['a header of more than 1 mm', zeiss('1.01 mm'), NONE],
  ])('%s', async (_name, file, expected) => {
    expect(await scaleOf(await file)).toEqual(expected);
  });

  const headers: Record<string, (size: string) => Buffer> = {
    FEI: fei,
    Zeiss: (size) => zeiss(`${size} nm`),
    TESCAN: tescan,
    OME: (size) => ome(`PhysicalSizeX="${size}" PhysicalSizeXUnit="nm"`),
  };
  const bad = Object.keys(headers).flatMap((name) =>
    ['0', '-1', 'NaN', '1e400', 'constructor', '1,5'].map((size) => [name, size] as const),
  );
  test.each(bad)('%s: a size of %s is no scale', async (name, size) => {
    expect(await scaleOf(headers[name]?.(size) ?? Buffer.alloc(0))).toEqual(NONE);
  });
  test('and a unit that is no length of a pixel is no scale', async () => {
    for (const unit of ['furlong', 'constructor', 'pixel']) {
      expect(await scaleOf(ome(`PhysicalSizeX="5" PhysicalSizeXUnit="${unit}"`))).toEqual(NONE);
      expect(await scaleOf(zeiss(`5 ${unit}`))).toEqual(NONE);
    }
  });

  test('unless the uploader states one', async () => {
    const fields = { imageDefinition: '{"pixelSize":7}' };
    expect(await scaleOf(fei('2e-9'), fields)).toEqual([{ pixelSize: 7 }, []]);
    expect(await scaleOf(fei('2e-9', '3e-9'), fields)).toEqual([{ pixelSize: 7 }, []]);
  });
});

describe('at most 64 KiB of a tag are read', () => {
  // Without its last digit, the size is another plausible one.
  const line = 'PixelWidth=0.00000000251';
  const header = (before: number, after: number) =>
    one([34_682, 2, Buffer.from(`[Scan]\n${'x'.repeat(before)}\n${line}\n${'x'.repeat(after)}`)]);
  const used = `[Scan]\n\n${line}\n`.length;

  test.each<[string, Buffer, ReturnType<typeof from> | typeof NONE]>([
    ['a text of 64 KiB', header(KIB64 - used, 0), from(2.51, FEI)],
    ['64 KiB and a byte, after the size', header(0, KIB64 + 1 - used), from(2.51, FEI)],
    ['a size whose last digit is beyond 64 KiB', header(KIB64 + 2 - used, 0), NONE],
    ['a size beyond 64 KiB', header(KIB64, 0), NONE],
    [
      'OME-XML in one line of more than 64 KiB',
      one(text(270, `${omeText('PhysicalSizeX="1"')}${'<Plane/>'.repeat(9_000)}`)),
      from(1000, OME),
    ],
  ])('%s', async (_name, file, expected) => {
    expect(await scaleOf(file)).toEqual(expected);
  });

  test('in linear time', async () => {
    const repeated = [
      '[Scan]\n',
      'PixelWidth=',
      'PixelWidth=1\n',
      '<Pixels ',
      'Image Pixel Size = ',
      '\n',
      ' ',
      'PixelSizeX',
    ];
    for (const part of repeated) {
      const content = Buffer.from(part.repeat(KIB64 / part.length));
      const section = Buffer.concat([Buffer.from('[Scan]\n'), content.subarray(7)]);
      const start = process.threadCpuUsage();
      await store(one([270, 2, content], [34_682, 2, section], [34_118, 2, content], [50_431, 2, content]));
      // Quadratic time takes several seconds.
      expect(process.threadCpuUsage(start).user).toBeLessThan(1e6);
    }
  });
});

describe('a damaged directory', () => {
  const entryOf = (file: Buffer, tag: number): number => {
    for (let at = 10; ; at += 12) if (file.readUInt16LE(at) === tag) return at;
  };

  test('with a text or number beyond the end of the file has no scale', async () => {
    const header = fei('2e-9');
    header.writeUInt32LE(header.length - 3, entryOf(header, 34_682) + 8);
    expect(await scaleOf(header)).toEqual(NONE);
    const tags = one(...resolution(20_000), resolutionUnit(3));
    for (const tag of [282, 283]) tags.writeUInt32LE(0xffff_fff0, entryOf(tags, tag) + 8);
    expect(await scaleOf(tags)).toEqual(NONE);
    const zero = one([282, 5, [1, 0]], [283, 5, [1, 0]], resolutionUnit(3));
    expect(await scaleOf(zero)).toEqual(NONE);
  });

  test('with overlapping or repeated tags is read like any other', async () => {
    const overlapping = one(text(34_118, feiText('2e-9')), text(34_682, feiText('4e-9')));
    overlapping.writeUInt32LE(
      overlapping.readUInt32LE(entryOf(overlapping, 34_118) + 8),
      entryOf(overlapping, 34_682) + 8,
    );
    expect(await scaleOf(overlapping)).toEqual(from(2, FEI));
    // libtiff, too, uses the first of them.
    const repeated = tiff([picture([text(34_682, feiText('2e-9')), text(34_682, feiText('4e-9'))])]);
    expect(await scaleOf(repeated)).toEqual(from(2, FEI));
  });

  test.each<[string, (file: Buffer, next: number) => Buffer]>([
    ['a loop', (file, next) => put32(file, next, 8)],
    ['a page at the last byte', (file, next) => put32(file, next, file.length - 1)],
    ['a page beyond the end', (file, next) => put32(file, next, file.length + 99)],
    ['a truncated page', (file, next) => put32(Buffer.concat([file, Buffer.from([9, 0, 1])]), next, file.length)],
  ])('is refused: %s', async (_name, damage) => {
    const file = one();
    const refused = await media.upload(damage(file, 10 + file.readUInt16LE(8) * 12));
    expect([refused.status, refused.json]).toMatchObject([400, { code: 'INVALID_REQUEST', message: /damaged/ }]);
  });

  test('at the end of the file, without the offset of another one, is accepted', async () => {
    const file = one();
    const next = 10 + file.readUInt16LE(8) * 12;
    const moved = Buffer.concat([file, file.subarray(8, next)]);
    await store(put32(moved, 4, file.length));
  });
});

const put32 = (file: Buffer, at: number, value: number): Buffer => {
  file.writeUInt32LE(value, at);
  return file;
};

describe('of the pages of a TIFF', () => {
  const page = (width: number, height: number, depth: 8 | 16, ...tags: TiffTag[]): TiffPicture => ({
    width,
    height,
    samples: new (depth === 8 ? Uint8Array : Uint16Array)(width * height).fill(width),
    tags,
  });
  const reduced: TiffTag = [254, 4, [1]];

  test.each<[string, TiffPicture[], number, string | undefined]>([
    ['a reduced image is not stored', [page(60, 60, 8, reduced), page(40, 30, 16)], 40, undefined],
    [
      'the largest is stored',
      [page(10, 10, 8), page(40, 30, 8), page(30, 40, 8)],
      40,
      'page 1 has 10 × 10 pixels of 8 bits, page 2 has 40 × 30 pixels of 8 bits, page 3 has 30 × 40 pixels of 8 bits; page 2 is stored.',
    ],
    [
      'the first of different depths is stored',
      [page(20, 20, 8), page(20, 20, 16)],
      20,
      'page 1 has 20 × 20 pixels of 8 bits, page 2 has 20 × 20 pixels of 16 bits; page 1 is stored.',
    ],
    [
      'many are listed in part',
      [...Array.from({ length: 12 }, () => page(4, 4, 8)), page(9, 9, 8)],
      9,
      'page 10 has 4 × 4 pixels of 8 bits, and 3 more; page 13 is stored.',
    ],
  ])('%s', async (_name, pages, width, message) => {
    const stored = await store(tiff(pages));
    expect(stored.width).toBe(width);
    expect(stored.warnings).toMatchObject(
      message === undefined ? [] : [{ path: 'file', code: 'SEVERAL_PAGES', message: expect.stringContaining(message) }],
    );
    const { samples } = await samplesOf(stored.imageId);
    expect(new Set(samples)).toEqual(new Set([width]));
  });

  test('equal ones are announced, and the scale is that of the stored page', async () => {
    const equal = await store(tiff([page(9, 9, 8), page(9, 9, 8), page(3, 3, 8, reduced)]));
    expect(equal.warnings).toMatchObject([{ code: 'FIRST_PAGE_ONLY', message: expect.stringContaining('2 pages') }]);
    const scaled = await store(
      tiff([page(9, 9, 8, text(34_682, feiText('2e-9'))), page(19, 19, 8, text(34_682, feiText('4e-9')))]),
    );
    expect(scaled.imageDefinition).toMatchObject({ pixelSize: 4 });
  });
});

describe('an image of 16 bits', () => {
  /** A ramp from `low` to `high`, without or with other channels. */
  const ramp = (width: number, height: number, low: number, high: number, channels = 1): Uint16Array =>
    Uint16Array.from({ length: width * height * channels }, (_, at) => {
      const position = (Math.floor(at / channels) % width) / (width - 1);
      return low + Math.round((high - low) * position);
    });
  const stored = async (width: number, height: number, samples: Uint16Array | Uint8Array, channels = 1) => {
    const { imageId, ...image } = await store(tiff([{ width, height, samples, channels }]));
    return {
      ...image,
      imageId,
      full: await samplesOf(imageId),
      thumb: await samplesOf(imageId, ImageSize.IMAGE_SIZE_THUMB),
    };
  };
  const extremes = (samples: Iterable<number>) => [Math.min(...samples), Math.max(...samples)];

  test('that uses little of its range is stored unchanged, and its smaller sizes are stretched', async () => {
    // The thumbnail and the medium size are smaller than this one, as large as this one, or both.
    for (const [width, height] of [
      [1_500, 90],
      [600, 90],
      [50, 40],
    ] as const) {
      const samples = ramp(width, height, 1_000, 5_000);
      const { stretched, full, thumb, imageId } = await stored(width, height, samples);
      expect([stretched, full.depth, full.samples.every((sample, at) => sample === samples[at])]).toEqual([
        true,
        'ushort',
        true,
      ]);
      expect([thumb.depth, thumb.width]).toEqual(['uchar', Math.min(256, width)]);
      const medium = await samplesOf(imageId, ImageSize.IMAGE_SIZE_MEDIUM);
      expect([medium.depth, medium.width]).toEqual(['uchar', Math.min(1_024, width)]);
      for (const shown of [thumb, medium]) {
        const [low = 9, high = 0] = extremes(shown.samples);
        expect([low < 3, high > 252]).toEqual([true, true]);
      }
      const row = await media.database
        .selectFrom('blob')
        .innerJoin('image', 'image.sha256', 'blob.sha256')
        .select('stretched')
        .where('id', '=', imageId)
        .executeTakeFirst();
      expect(row).toEqual({ stretched: true });
    }
  });

  test('is stretched between percentiles: single pixels do not count', async () => {
    const samples = ramp(100, 100, 1_000, 5_000);
    samples[0] = 0;
    samples[1] = 65_535;
    const { stretched, thumb } = await stored(100, 100, samples);
    expect(stretched).toBe(true);
    expect(thumb.samples.at(-1)).toBeGreaterThan(250);
  });

  test('in color keeps its hue and its opacity', async () => {
    const samples = ramp(64, 64, 2_000, 6_000, 4);
    for (let at = 0; at < samples.length; at += 4) {
      samples[at] = 1_000;
      samples[at + 3] = 30_000;
    }
    const { stretched, full, thumb } = await stored(64, 64, samples, 4);
    expect([stretched, full.samples.every((sample, at) => sample === samples[at])]).toEqual([true, true]);
    const [red, green, blue, alpha] = thumb.samples.subarray(63 * 4);
    expect([red, green, blue, alpha]).toEqual([0, 255, 255, 117]);
  });

  test.each<[string, Uint16Array | Uint8Array]>([
    ['uses half of its range', ramp(64, 64, 1_000, 34_000)],
    ['has one gray value', new Uint16Array(64 * 64).fill(900)],
    ['has 8 bits', Uint8Array.from(ramp(64, 64, 10, 60))],
  ])('is not stretched if it %s', async (_name, samples) => {
    const { stretched, full, thumb } = await stored(64, 64, samples);
    expect([stretched, thumb.depth]).toEqual([undefined, full.depth]);
    expect(thumb.samples).toEqual(full.samples);
  });

  test('keeps its samples in spite of a color profile', async () => {
    const samples = ramp(64, 64, 0, 60_000, 3).map((sample, at) => (at % 3 === 0 ? 65_535 - sample : sample));
    const { icc = Buffer.alloc(0) } = await sharp(
      await colorImage(9, 9).withIccProfile('srgb').png().toBuffer(),
    ).metadata();
    expect(icc.length).toBeGreaterThan(100);
    const file = tiff([{ width: 64, height: 64, samples, channels: 3, tags: [[34_675, 7, icc]] }]);
    expect((await samplesOf((await store(file)).imageId)).samples).toEqual(samples);
  });
});

describe('an image is refused, with what to do, if it has', () => {
  const samples = flat(16);
  const withTags = (...tags: TiffTag[]): Buffer => tiff([{ width: WIDTH, height: HEIGHT, samples, tags }]);
  const bits = (count: number): TiffTag => [258, 3, [count]];
  const sampleFormat = (format: number): TiffTag => [339, 3, [format]];

  test.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['integers of 32 bits', () => withTags(bits(32)), /32 bits; save it in gray or RGB with 8-bit or 16-bit samples/],
    ['64 bits', () => withTags(bits(64), sampleFormat(3)), /64 bits; save it/],
    ['12 bits', () => withTags(bits(12)), /12 bits; save it/],
    ['floating-point samples of 32 bits', () => withTags(bits(32), sampleFormat(3)), /32 bits; save it/],
    ['floating-point samples of 16 bits', () => withTags(sampleFormat(3)), /float; save it/],
    ['signed samples', () => withTags(sampleFormat(2)), /short; save it/],
    [
      'a palette of 16 bits',
      () => withTags([262, 3, [3]], [320, 3, Buffer.alloc(3 * 65_536)]),
      /palette of 16 bits; save it in gray or RGB/,
    ],
    [
      'CMYK in a TIFF',
      () => colorImage(30, 20).toColourspace('cmyk').tiff().toBuffer(),
      /CMYK.*save it in gray or RGB/,
    ],
    [
      'CMYK in a JPEG',
      () => colorImage(30, 20).toColourspace('cmyk').jpeg().toBuffer(),
      /CMYK.*save it in gray or RGB/,
    ],
    [
      'several gray channels',
      () => tiff([{ width: 20, height: 20, samples: flat(16), channels: 3, tags: [[262, 3, [1]]] }]),
      /3 gray channels; save it/,
    ],
    ['only reduced images', () => one([254, 4, [1]]), /only reduced images; send the one with the full image/],
  ])('%s', async (_name, make, message) => {
    const { status, json } = await media.upload(await make());
    expect([status, json]).toMatchObject([
      415,
      { code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringMatching(message) },
    ]);
  });
});
