import { stateHeaders } from './dataset-headers.ts';
import { z } from 'zod';
import {
  DEFAULT_FILE_FORMAT,
  type FileFormatName,
  fileFormatNames,
  fileFormats,
} from '@esd/record/catalog/file-formats';

export const exportFormat = z
  .enum(fileFormatNames)
  .optional()
  .meta({ description: `Defaults to \`${DEFAULT_FILE_FORMAT}\`; \`zip\` is the archive of the images.` });

export function fileType(format: FileFormatName): string {
  return fileFormats[format].mediaType.replace(/;.*/, '');
}

export const fileTypes = fileFormatNames.filter((format) => format !== 'json').map(fileType);

export const fileHeaders = {
  'Content-Disposition': 'The name of the file.',
  ...stateHeaders,
} as const;
