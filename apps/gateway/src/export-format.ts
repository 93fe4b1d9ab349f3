import { z } from 'zod';

/** The query parameter that chooses the format of a file. */
export const exportFormat = z
  .enum(['xlsx', 'json', 'csv', 'parquet', 'zip'], 'must be xlsx, json, csv, parquet or zip')
  .optional()
  .meta({ description: '`xlsx` unless given; `zip` is the archive of the images.' });

/** The media types of the files beside JSON. */
export const fileTypes = [
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/csv',
  'application/vnd.apache.parquet',
  'application/zip',
] as const;

/** What the document says of the headers of a file. */
export const fileHeaders = { 'Content-Disposition': 'The name of the file.' } as const;

/** A query for the byte port of files, of the parameters that are given. */
export function fileQuery(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}
