import { z } from 'zod';
import { fileHeaders, fileType } from './export-format.ts';
import { integerText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { records } from './record-list.ts';
import { release } from './releases.ts';

const releaseId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });
const jsonQuery = z.object({
  logDownload: z.enum(['true', 'false']).default('false').meta({ description: 'Whether the download is counted.' }),
});

const ofFile = {
  tag: 'Downloads',
  answerHeaders: fileHeaders,
  revalidates: true,
  ranges: true,
} satisfies Partial<Description>;

const file = { method: 'get', caller: 'ignored', limit: 'exports' } as const;

export const downloadExcel = operation({
  ...file,
  path: '/cache/download/excel',
  describe: {
    ...ofFile,
    summary: 'Download the latest dataset as .xlsx',
    returns: 'The file.',
    otherTypes: [fileType('xlsx')],
  },
});

export const downloadJson = operation({
  ...file,
  path: '/cache/download/json',
  describe: {
    ...ofFile,
    summary: 'Download the latest dataset as .json',
    returns: 'An array of records in ascending order of `recordId`.',
  },
  query: jsonQuery,
  response: records,
});

export const downloadImages = operation({
  ...file,
  path: '/cache/download/images',
  describe: {
    ...ofFile,
    summary: 'Download the images of the latest dataset as .zip',
    returns: 'The archive, with `manifest.csv`.',
    otherTypes: [fileType('zip')],
  },
});

export const downloadReleaseExcel = operation({
  ...file,
  path: '/cache/download/excel/{id}',
  describe: {
    ...ofFile,
    summary: 'Download a release as .xlsx',
    details: '`id` is the `id` in `/cache/download/versions`.',
    returns: 'The stored file of the release.',
    otherTypes: [fileType('xlsx')],
    errors: ['VERSION_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: releaseId,
});

export const downloadReleaseImages = operation({
  ...file,
  path: '/cache/download/images/{id}',
  describe: {
    ...ofFile,
    summary: 'Download the images of a release as .zip',
    details: '`id` is the `id` in `/cache/download/versions`.',
    returns: 'The stored archive of the release.',
    otherTypes: [fileType('zip')],
    errors: ['VERSION_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: releaseId,
});

export const countDownloads = operation({
  method: 'get',
  path: '/cache/download/count',
  caller: 'ignored',
  describe: {
    tag: 'Downloads',
    summary: 'Get the number of downloads',
    details:
      'Counts only complete files, not range requests or 304 responses. `/cache/download/json` counts only with `logDownload=true`.',
    returns: 'The number.',
  },
  response: z.int().min(0),
});

export const listDownloadReleases = operation({
  method: 'get',
  path: '/cache/download/versions',
  caller: 'ignored',
  describe: {
    tag: 'Downloads',
    summary: 'List the releases of the dataset with their ids',
    returns: 'The releases, newest first.',
  },
  response: z.array(release.extend({ description: z.string().nullable() })),
});
