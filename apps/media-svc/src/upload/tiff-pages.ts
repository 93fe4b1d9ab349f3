import type { ErrorItem } from '@esd/service/http/error-body';
import { ServiceError } from '@esd/service/errors';
import { TAG, type Tiff, type TiffPage } from './tiff-reader.ts';

const REDUCED_IMAGE = 1;
const PALETTE = 3;
const MAX_LISTED = 10;

interface ChosenPage {
  index: number;
  page: TiffPage;
  warnings: ErrorItem[];
}

/**
 * Chooses the page of a TIFF to store: the first one with the largest area, except reduced images. Returns undefined for a
 * TIFF without directories, which the library reports. Throws UNSUPPORTED_MEDIA_TYPE if all pages are reduced images, or if
 * the samples or the palette of the page have too many bits.
 */
export async function chooseTiffPage({ pages, number }: Tiff): Promise<ChosenPage | undefined> {
  if (pages.length === 0) return undefined;
  const fullPages: { index: number; page: TiffPage; area: number; bits: number; text: string }[] = [];
  for (const [index, page] of pages.entries()) {
    if ((((await number(page, TAG.newSubfileType)) ?? 0) & REDUCED_IMAGE) !== 0) continue;
    const width = (await number(page, TAG.width)) ?? 0;
    const height = (await number(page, TAG.height)) ?? 0;
    const bits = (await number(page, TAG.bitsPerSample)) ?? 1;
    fullPages.push({ index, page, area: width * height, bits, text: `${width} × ${height} pixels of ${bits} bits` });
  }
  // The order of pages with equal areas stays.
  const [chosen] = fullPages.toSorted((a, b) => b.area - a.area);
  if (chosen === undefined) throw refusal('has only reduced images; send the one with the full image.');
  const { page, bits } = chosen;
  if (bits > 8 && (bits !== 16 || (await number(page, TAG.photometric)) === PALETTE)) {
    throw refusal(`has samples or a palette of ${bits} bits; save it in gray or RGB with 8-bit or 16-bit samples.`);
  }
  return { index: chosen.index, page, warnings: pageWarnings(fullPages, chosen.index) };
}

function pageWarnings(fullPages: readonly { index: number; text: string }[], chosenIndex: number): ErrorItem[] {
  if (new Set(fullPages.map(({ text }) => text)).size < 2) return firstPageOnly(fullPages.length);
  const listed = fullPages.slice(0, MAX_LISTED).map(({ index, text }) => `page ${index + 1} has ${text}`);
  const more = fullPages.length > MAX_LISTED ? `, and ${fullPages.length - MAX_LISTED} more` : '';
  const message = `The pages of the TIFF differ: ${listed.join(', ')}${more}; page ${chosenIndex + 1} is stored.`;
  return [{ path: 'file', code: 'SEVERAL_PAGES', message }];
}

/** Returns the warning for a file of several pages or frames that do not differ in size and depth. */
export function firstPageOnly(pages = 1): ErrorItem[] {
  const message = `Only the first of the ${pages} pages or frames of the file is stored.`;
  return pages > 1 ? [{ path: 'file', code: 'FIRST_PAGE_ONLY', message }] : [];
}

function refusal(problem: string): ServiceError {
  return new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The TIFF ${problem}`);
}
