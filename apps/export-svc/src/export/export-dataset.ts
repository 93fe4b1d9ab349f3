import { type Filter, filterKey } from '@esd/record/filter';
import { parseFilter } from '@esd/record/parse-filter';
import { ServiceError } from '@esd/service/errors';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/entity-tag';
import type { ByteHandler } from '../byte-port.ts';
import { type DatasetReader, openScan } from './open-scan.ts';
import { formats } from './formats.ts';
import { writeParts } from './write-parts.ts';

const DEFAULT_FORMAT = 'xlsx';

/**
 * GET /public/dataset/export: the newest state of the dataset as a file, json (a bare array of records) or csv, streamed
 * at the reader's pace; `filter` chooses records. NOT_IMPLEMENTED for the other formats and for versions.
 */
export function exportDataset(dataset: DatasetReader): ByteHandler {
  return async (call, request, response) => {
    const { format, filter, text } = readQuery(call.query);
    const scan = await openScan(dataset, text, call);
    try {
      const { datasetId, revision } = scan.state;
      const tag = `${datasetId}.${revision}.${format}${filter.length > 0 ? `.${textTag(filterKey(filter))}` : ''}`;
      response.setHeader('ETag', `"${tag}"`);
      response.setHeader('Cache-Control', 'no-cache');
      if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
        response.writeHead(304).end();
        return;
      }
      response.writeHead(200, {
        'Content-Type': formats[format].mediaType,
        'Content-Disposition': `attachment; filename="electrospinning-dataset-latest-r${revision}${filter.length > 0 ? '-filtered' : ''}.${format}"`,
      });
      if (request.method === 'HEAD') response.end();
      else await writeParts(formats[format].parts(scan.chunks, scan.matching), response, call.signal);
    } finally {
      await scan.close();
    }
  };
}

function readQuery(query: URLSearchParams): {
  format: 'json' | 'csv';
  filter: Filter;
  text: string | undefined;
} {
  const format = query.get('format') ?? DEFAULT_FORMAT;
  if (format === 'xlsx' || format === 'zip') {
    throw new ServiceError(
      'NOT_IMPLEMENTED',
      `The format ${format} is not available yet; format=json and format=csv are.`,
    );
  }
  if (format !== 'json' && format !== 'csv') {
    throw new ServiceError('INVALID_PARAMETER', `format=${format}: must be xlsx, json, csv or zip.`);
  }
  if ((query.get('version') ?? 'latest') !== 'latest') {
    throw new ServiceError('NOT_IMPLEMENTED', 'Versions are not available yet; version=latest is.');
  }
  const text = query.get('filter') ?? undefined;
  const parsed = text === undefined ? { filter: [] } : parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return { format, filter: parsed.filter, text };
}
