import { BUNDLE, MANIFEST, stableFileNames } from '@esd/record/catalog/file-formats';
import { z } from 'zod';
import { fileHeaders, fileTypes } from './export-format.ts';
import { operation } from './operation.ts';
import { releasePath } from './release-name.ts';

/** The names of the stable files, in Markdown. */
export const FILE_NAMES = stableFileNames.map((name) => `\`${name}\``).join(', ');

export const getStableFile = operation({
  method: 'get',
  path: '/files/{*version}/{name}',
  caller: 'ignored',
  limit: 'files',
  describe: {
    tag: 'Downloads',
    summary: 'Download a stable file of a release',
    details: `The name is one of ${FILE_NAMES}. Files of a release never change, except \`${MANIFEST}\` and \`${BUNDLE}\`, which contain the current metadata of the release. Programs that read Parquet over HTTP fetch only the ranges that they need. The rate limit of this class counts bytes. \`docs/metadata.md\` in the repository explains the files.`,
    returns: 'The file.',
    otherTypes: fileTypes,
    redirects: { status: 307, when: '`version` is `latest` or a DOI. The file is at `Location`.' },
    answerHeaders: {
      ...fileHeaders,
      'Repr-Digest': 'The SHA-256 of the whole file (RFC 9530); absent for `bundle.zip`.',
      Link: 'The landing page of the release and its typed links.',
    },
    revalidates: true,
    ranges: true,
    errors: ['VERSION_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    example: { parameters: { version: 'v1.0.0', name: 'records.parquet' } },
  },
  parameters: z.object({
    version: releasePath.meta({
      type: 'string',
      description: 'A release identifier, a DOI, `latest`, or `r` and the number of a dataset revision.',
    }),
    name: z.string().meta({ description: `One of ${FILE_NAMES}.` }),
  }),
});
