import { LATEST } from '@esd/api/release-name';
import type { Repeats } from '@esd/record/filter/repeats';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import {
  DEFAULT_FILE_FORMAT,
  type FileFormatName,
  fileFormatNames,
  fileFormats,
  type FormParameter,
  isStreamed,
} from '@esd/record/catalog/file-formats';
import type { FieldSelection } from '@esd/record/catalog/chosen-fields';
import type { SortKey } from '@esd/record/filter/sort-keys';
import { ServiceError } from '@esd/service/errors';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { readFilter } from '../http/query.ts';
import type { InnerRequest } from '../upstream/byte-proxy.ts';

// Milliseconds until a file begins; it may have to be built first.
export const FILE_MS = 25_000;

export interface RequestedFile {
  format?: FileFormatName | undefined;
  filter?: string | undefined;
  sort?: readonly SortKey[] | undefined;
  normalized?: 'true' | 'false' | undefined;
  fields?: FieldSelection | undefined;
  repeats?: Repeats | undefined;
  source?: ExportRequest['source'];
  /** Whether a complete download is counted; true by default. */
  counted?: boolean;
}

/** Creates the request to export-svc. Throws INVALID_FILTER, or INVALID_PARAMETER if the format does not support a parameter. */
export function exportRequest(requested: RequestedFile): InnerRequest {
  const { format = DEFAULT_FILE_FORMAT, filter, source, counted = true, sort = [], fields = [] } = requested;
  const normalized = requested.normalized === 'true';
  const once = requested.repeats === 'once';
  refuse('sort', sort.length > 0, format);
  refuse('normalized', normalized, format);
  refuse('fields', fields.length > 0, format);
  refuse('repeats', once, format);
  const message: ExportRequest = {
    format,
    filterJson: filter,
    filter: filterToWire(readFilter(filter)),
    source,
    counted,
    sort: [...sort],
    normalized,
    fields: [...fields],
    once,
  };
  return {
    path: '/public/dataset/export',
    message: streamRequestHeader(ExportRequest, message),
    answerMs: isStreamed(format) ? undefined : FILE_MS,
  };
}

function refuse(parameter: FormParameter, isRequested: boolean, format: FileFormatName): void {
  const takes = (name: FileFormatName): boolean =>
    fileFormats[name].takes.some((one: FormParameter) => one === parameter);
  if (!isRequested || takes(format)) return;
  const known = fileFormatNames.filter(takes).map((name) => `\`${name}\``);
  const message = `\`${parameter}\` cannot be combined with \`format=${format}\`. Formats that support it: ${known.join(', ')}.`;
  throw new ServiceError('INVALID_PARAMETER', message);
}

/** Returns the source for a name in a path or query: a release, or undefined for `latest`. */
export function releaseSource(name: string | undefined): ExportRequest['source'] {
  return name === undefined || name === LATEST ? undefined : { $case: 'versionName', value: name };
}
