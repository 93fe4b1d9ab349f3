import { filterFromWire } from '@esd/dataset-client/filter-wire';
import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import type { Filter } from '@esd/record/filter/filter';
import { fileFormatList, type FileFormatName, isFileFormat } from '@esd/record/catalog/file-formats';
import { ServiceError } from '@esd/service/errors';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { readStreamRequest } from '@esd/service/http/stream-request';
import type { RecordForm } from '../files/open-scan.ts';

export interface WantedExport {
  format: FileFormatName;
  /** Absent for latest. */
  source: ExportRequest['source'];
  /** Undefined for all records of the source. */
  filter: { text: string; conditions: Filter } | undefined;
  form: RecordForm;
  /** Whether a complete download increases the counter. */
  counted: boolean;
}

/** Reads the request of an export. Throws INVALID_REQUEST, INVALID_PARAMETER or UNAVAILABLE. */
export function readExportRequest({ streamRequest }: Pick<EndpointCall, 'streamRequest'>): WantedExport {
  const { format, source, filter, filterJson, counted, ...form } = readStreamRequest(ExportRequest, streamRequest);
  const conditions = filterFromWire(filter);
  const sent = filterJson === undefined || conditions.length === 0 ? undefined : { text: filterJson, conditions };
  return { format: readFormat(format), source, filter: sent, form, counted };
}

function readFormat(format: string): FileFormatName {
  if (isFileFormat(format)) return format;
  throw new ServiceError('INVALID_PARAMETER', `\`format\` is "${format.slice(0, 60)}"; it must be ${fileFormatList}.`);
}
