import { z } from 'zod';
import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import {
  DEFAULT_FILE_FORMAT,
  type FileFormatName,
  fileFormatNames,
  fileFormats,
  isStreamed,
} from '@esd/record/catalogue/file-formats';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { LATEST } from '../schemas/release-name.ts';
import type { InnerRequest } from '../upstream/byte-proxy.ts';

// A file may have to be built first.
const FILE_MS = 25_000;

/** The query parameter that chooses the format of a file. */
export const exportFormat = z
  .enum(fileFormatNames)
  .optional()
  .meta({ description: `Defaults to \`${DEFAULT_FILE_FORMAT}\`; \`zip\` is the archive of the images.` });

/** The media type of a format, without its parameters. */
export function fileType(format: FileFormatName): string {
  return fileFormats[format].mediaType.replace(/;.*/, '');
}

/** The media types of the files beside JSON. */
export const fileTypes = fileFormatNames.filter((format) => format !== 'json').map(fileType);

/** What the document says of the headers of a file. */
export const fileHeaders = { 'Content-Disposition': 'The name of the file.' } as const;

/** A file to be sent: the latest dataset unless `source` says something else. */
export interface WantedFile {
  format?: FileFormatName | undefined;
  filter?: string | undefined;
  source?: ExportRequest['source'];
  /** Whether a whole download counts; it does unless said otherwise. */
  counted?: boolean;
}

/** How export-svc is asked for a file. */
export function exportRequest({
  format = DEFAULT_FILE_FORMAT,
  filter,
  source,
  counted = true,
}: WantedFile): InnerRequest {
  const message: ExportRequest = { format, filterJson: filter, source, counted };
  return {
    path: `/public/dataset/export?${formerQuery(message)}`,
    message: streamRequestHeader(ExportRequest, message),
    answerMs: isStreamed(format) ? undefined : FILE_MS,
  };
}

/**
 * The request as the former release of export-svc reads it; this one reads the message alone. The former knows a personal
 * snapshot by parameters that only its owner can look up: it answers that there is no such version. Goes with the next release.
 */
function formerQuery({ format, filterJson, source, counted }: ExportRequest): string {
  const query = new URLSearchParams({ format, count: String(counted) });
  if (filterJson !== undefined) query.set('filter', filterJson);
  if (source?.$case === 'versionName') query.set('version', source.value);
  if (source?.$case === 'versionId') query.set('versionId', String(source.value));
  if (source?.$case === 'snapshot') query.set('version', `snapshot-${source.value.id}`);
  return query.toString();
}

/** A release by its name in a path or query, of which `latest` is none. */
export function releaseSource(name: string | undefined): ExportRequest['source'] {
  return name === undefined || name === LATEST ? undefined : { $case: 'versionName', value: name };
}
