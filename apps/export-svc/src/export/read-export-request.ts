import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import {
  DEFAULT_FILE_FORMAT,
  fileFormatList,
  type FileFormatName,
  isFileFormat,
} from '@esd/record/catalogue/file-formats';
import { ServiceError } from '@esd/service/errors';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { readStreamRequest } from '@esd/service/http/stream-request';
import { PLAIN, type RecordForm } from '../files/open-scan.ts';

/** A personal snapshot whose state the gateway of the former release has looked up itself. */
export interface FormerSnapshot {
  id: number;
  revision: number;
  name: string;
  createdAt: Date;
}

/** Which state is exported; absent: the newest. */
export type WantedSource = ExportRequest['source'] | { $case: 'formerSnapshot'; value: FormerSnapshot };

export interface WantedExport {
  format: FileFormatName;
  source: WantedSource;
  /** JSON text; absent: every record, or those of the snapshot or query. */
  filter: string | undefined;
  form: RecordForm;
  /** Whether a whole download is counted. */
  counted: boolean;
}

/**
 * Reads which file is asked for: the message in the header, or the query of a gateway of the former release. Throws
 * INVALID_REQUEST, INVALID_PARAMETER.
 */
export function readExportRequest({
  streamRequest,
  query,
}: Pick<EndpointCall, 'streamRequest' | 'query'>): WantedExport {
  if (streamRequest === undefined) return readFormerQuery(query);
  const { format, source, filterJson, counted, ...form } = readStreamRequest(ExportRequest, streamRequest);
  return { format: readFormat(format), source, filter: filterJson, form, counted };
}

/**
 * Reads the query that the gateway of the former release sends: `format`, `filter`, and one of `version` (identifier or DOI;
 * `latest`), `versionId`, and `revision` with `id`, `name` and `createdAt` of a personal snapshot; `count=false`. Goes with the
 * next release.
 */
function readFormerQuery(query: URLSearchParams): WantedExport {
  return {
    format: readFormat(query.get('format') ?? DEFAULT_FILE_FORMAT),
    source: readFormerSource(query),
    filter: query.get('filter') ?? undefined,
    form: PLAIN,
    counted: query.get('count') !== 'false',
  };
}

function readFormat(format: string): FileFormatName {
  if (isFileFormat(format)) return format;
  throw new ServiceError('INVALID_PARAMETER', `format=${format.slice(0, 60)}: must be ${fileFormatList}.`);
}

function readFormerSource(query: URLSearchParams): WantedSource {
  const version = query.get('version') ?? 'latest';
  if (version !== 'latest') return { $case: 'versionName', value: version };
  const id = query.get('versionId');
  if (id !== null) return { $case: 'versionId', value: wholeNumber('versionId', id) };
  const revision = query.get('revision');
  if (revision === null) return undefined;
  const createdAt = new Date(query.get('createdAt') ?? '');
  if (Number.isNaN(createdAt.getTime())) throw new ServiceError('INVALID_PARAMETER', '`createdAt` must be a date.');
  const snapshot = {
    id: wholeNumber('id', query.get('id') ?? ''),
    revision: wholeNumber('revision', revision),
    name: query.get('name') ?? '',
    createdAt,
  };
  return { $case: 'formerSnapshot', value: snapshot };
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('INVALID_PARAMETER', `${name}=${text.slice(0, 60)}: must be a whole number.`);
}
