import type { FileHandle } from 'node:fs/promises';
import type { ErrorItem } from '@esd/service/http/error-body';
import { NANOMETERS } from './image-definition.ts';
import { readPngScale } from './png-scale.ts';
import { TAG, type Tiff, type TiffPage } from './tiff-reader.ts';

/** The size of a pixel in nm if a file states one, and the warning that names its source, or a contradiction. */
export interface FileScale {
  pixelSize?: number;
  warning?: ErrorItem;
}

/** A statement of the size of a pixel in nm: its width, its height if stated, and repetitions. They may be any numbers. */
type StatedSize = readonly [source: string, sizes: readonly number[], coarsest: number];

const FINEST_NM = 1e-3;
const COARSEST_NM = 1e6;
/** A coarser resolution is the print size that cameras and editors write. */
const COARSEST_RESOLUTION_NM = 1e4;
/** Resolutions of screens and printers, which ImageJ retains in inches or centimeters. */
const SCREEN_AND_PRINT_DPI = [72, 96, 150, 300, 600];
const TOLERANCE = 1.01;

const UNITS = new Map([...Object.entries(NANOMETERS), ['micron', 1e3], ['cm', 1e7], ['inch', 25.4e6], ['m', 1e9]]);

/** Reads the scale that a PNG, or this page of a TIFF, states in a unit. Other formats have none. */
export async function readFileScale(handle: FileHandle, tiff?: Tiff, page?: TiffPage): Promise<FileScale> {
  if (tiff && page) return agreedScale(await tiffSizes(tiff, page));
  return agreedScale([['the resolution of the PNG', await readPngScale(handle), COARSEST_RESOLUTION_NM]]);
}

/** Returns the scale on which all plausible statements agree within 1 %, with the first of them as its source. */
function agreedScale(stated: readonly StatedSize[]): FileScale {
  const plausible = stated.flatMap(([source, sizes, coarsest]) => {
    const rounded = sizes.map((nm) => Number(nm.toPrecision(6)));
    const [width = NaN] = rounded;
    return width >= FINEST_NM && width <= coarsest ? [{ source, width, sizes: rounded }] : [];
  });
  const [first] = plausible;
  if (first === undefined) return {};
  const path = 'imageDefinition.pixelSize';
  const all = plausible.flatMap(({ sizes }) => sizes);
  // The comparison is false for NaN.
  if (Math.max(...all) <= Math.min(...all) * TOLERANCE) {
    const message = `${first.width} nm per pixel, from ${first.source}.`;
    return { pixelSize: first.width, warning: { path, code: 'PIXEL_SIZE_FROM_FILE', message } };
  }
  const texts = plausible.map(
    ({ source, sizes }) => `${[...new Set(sizes)].slice(0, 4).join(' or ')} nm from ${source}`,
  );
  const message = `The file states different pixel sizes: ${texts.join('; ')}. Send the correct one as \`${path}\`.`;
  return { warning: { path, code: 'PIXEL_SIZE_CONFLICT', message } };
}

async function tiffSizes({ number, text }: Tiff, page: TiffPage): Promise<StatedSize[]> {
  const description = await text(page, TAG.description);
  const resolutions = [await number(page, TAG.xResolution), await number(page, TAG.yResolution)];
  // The default of TIFF is inch.
  const resolutionUnit = ['inch', 'cm'][((await number(page, TAG.resolutionUnit)) ?? 2) - 2];
  const isImageJ = description.startsWith('ImageJ=');
  const [, imageJUnit = ''] = /^unit=(.*)$/m.exec(description) ?? [];
  const unit = isImageJ ? imageJUnit.trim().replace('\\u00B5', 'µ') : resolutionUnit;
  const sizes = resolutions.flatMap((resolution) =>
    resolution === undefined ? [] : [nanometers(1 / resolution, unit)],
  );
  const isPrinted =
    (unit === 'inch' || unit === 'cm') &&
    sizes.some((nm) => SCREEN_AND_PRINT_DPI.some((dpi) => Math.abs(nanometers(1, 'inch') / nm - dpi) < 0.5));
  // `Pixel Size` without `Image` is that of the monitor.
  const zeiss = sizesIn(await text(page, TAG.zeiss), /^Image Pixel Size[ \t]*=[ \t]*(\S+)[ \t]+(\S+)/gm);
  const tescan = sizesIn(await text(page, TAG.tescan), /\bPixelSize[XY][ \t]*=[ \t]*(\S+)/g);
  return [
    ['the FEI header', feiSizes(await text(page, TAG.fei)), COARSEST_NM],
    ['the Zeiss header', zeiss, COARSEST_NM],
    ['the TESCAN header', tescan, COARSEST_NM],
    ['the OME-XML', omeSizes(description), COARSEST_NM],
    isImageJ
      ? ['ImageJ', isPrinted ? [] : sizes, COARSEST_NM]
      : ['the resolution of the TIFF', sizes, COARSEST_RESOLUTION_NM],
  ];
}

function feiSizes(header: string): number[] {
  return [...header.matchAll(/^\[E?Scan\]([^[]*)/gm)].flatMap(([, section = '']) =>
    sizesIn(section, /^Pixel(?:Width|Height)[ \t]*=[ \t]*(\S+)/gm),
  );
}

/** Reads the sizes that a pattern finds, with their unit or in meters. */
function sizesIn(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(([, size, unit = 'm']) => nanometers(Number(size), unit));
}

function omeSizes(description: string): number[] {
  return [...description.matchAll(/<(?:\w+:)?Pixels\s([^<>]*)>/g)].flatMap(([, attributes = '']) => {
    const valueOf = (name: string): string | undefined =>
      new RegExp(`\\b${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
    return ['PhysicalSizeX', 'PhysicalSizeY'].flatMap((name) => {
      const size = valueOf(name);
      const unit = valueOf(`${name}Unit`)?.replace(/&#(?:181|xb5);/i, 'µ') ?? 'µm';
      return size === undefined ? [] : [nanometers(Number(size), unit)];
    });
  });
}

/** Converts a length to nm; NaN for an unknown unit. */
function nanometers(length: number, unit: string | undefined): number {
  return length * (UNITS.get(unit ?? '') ?? NaN);
}
