import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';
import { CSV_MEDIA_TYPE, csvHeader, csvLine } from '@esd/record/csv';
import { parsePublicRecord } from '@esd/record/public-record';

type Chunks = AsyncIterable<RecordChunk>;

/** The media types of the formats. */
export const MEDIA_TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json; charset=utf-8',
  csv: CSV_MEDIA_TYPE,
  zip: 'application/zip',
  parquet: 'application/vnd.apache.parquet',
} as const;

export type ExportFormat = keyof typeof MEDIA_TYPES;
/** A format that is written while the records come. */
export type StreamedFormat = 'json' | 'csv';

export function isExportFormat(text: string): text is ExportFormat {
  return Object.hasOwn(MEDIA_TYPES, text);
}

export function isStreamed(format: ExportFormat): format is StreamedFormat {
  return format === 'json' || format === 'csv';
}

interface Format {
  /** The file in parts. Throws when there are not `count` records in all, before the last part. */
  parts: (chunks: Chunks, count: number) => AsyncGenerator<Buffer>;
}

const OPENING = Buffer.from('[\n');
const SEPARATOR = Buffer.from(',\n');

/** A bare JSON array, a record a line. */
async function* jsonParts(chunks: Chunks, count: number): AsyncGenerator<Buffer> {
  let written = 0;
  for await (const { recordsJson } of chunks) {
    const parts: Uint8Array[] = [];
    for (const record of recordsJson) parts.push(written++ === 0 ? OPENING : SEPARATOR, record);
    yield Buffer.concat(parts);
  }
  expectCount(written, count);
  yield Buffer.from(written === 0 ? '[]\n' : '\n]\n');
}

/** The flattened columns, RFC 4180. */
async function* csvParts(chunks: Chunks, count: number): AsyncGenerator<Buffer> {
  yield Buffer.from(csvHeader());
  let written = 0;
  for await (const { recordsJson } of chunks) {
    const lines = recordsJson.map((json) => {
      const { recordId, data } = parsePublicRecord(Buffer.from(json).toString());
      return csvLine(recordId, data);
    });
    written += lines.length;
    yield Buffer.from(lines.join(''));
  }
  expectCount(written, count);
}

function expectCount(written: number, count: number): void {
  if (written !== count) throw new Error(`the scan gave ${written} of ${count} records`);
}

/** The streamed formats by name. */
export const formats: Readonly<Record<StreamedFormat, Format>> = {
  json: { parts: jsonParts },
  csv: { parts: csvParts },
};
