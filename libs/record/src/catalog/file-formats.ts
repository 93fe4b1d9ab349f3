export interface FileFormat {
  mediaType: string;
  fileName: string;
  nameEnding: string;
  /** `streamed`: generated for each request. `stored`: built once and stored; supports range requests. */
  delivery: 'streamed' | 'stored';
  /** The accepted parameters, in addition to a filter. */
  takes: readonly FormParameter[];
}

/** A parameter of the records of a file, in addition to its filter. */
export type FormParameter = 'sort' | 'normalized' | 'fields' | 'repeats';

const TABLE = ['sort', 'normalized', 'repeats'] as const;

/**
 * The formats of dataset files. The gateway's parameters, the OpenAPI document, exports and the files of a release
 * derive from this table; export-svc has a writer for each format.
 */
export const fileFormats = {
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    fileName: 'records.xlsx',
    nameEnding: '.xlsx',
    delivery: 'stored',
    takes: TABLE,
  },
  json: {
    mediaType: 'application/json; charset=utf-8',
    fileName: 'records.json',
    nameEnding: '.json',
    delivery: 'streamed',
    takes: [...TABLE, 'fields'],
  },
  // RFC 4180 §3: `header=present` means that the first line names the columns.
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    fileName: 'records.csv',
    nameEnding: '.csv',
    delivery: 'streamed',
    takes: TABLE,
  },
  // https://www.iana.org/assignments/media-types/application/vnd.apache.parquet
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    fileName: 'records.parquet',
    nameEnding: '.parquet',
    delivery: 'stored',
    takes: TABLE,
  },
  zip: {
    mediaType: 'application/zip',
    fileName: 'images.zip',
    nameEnding: '-images.zip',
    delivery: 'stored',
    takes: [],
  },
} as const satisfies Readonly<Record<string, FileFormat>>;

export type FileFormatName = keyof typeof fileFormats;

export type StreamedFormatName = {
  [Name in FileFormatName]: (typeof fileFormats)[Name]['delivery'] extends 'streamed' ? Name : never;
}[FileFormatName];

// Safe cast: the table has no other keys.
export const fileFormatNames = Object.keys(fileFormats) as [FileFormatName, ...FileFormatName[]];

/** The list of the stable files of a dataset revision, and the archive of all of them. */
export const MANIFEST = 'manifest.json';
export const BUNDLE = 'bundle.zip';

export const stableFileNames: readonly string[] = [
  ...fileFormatNames.map((name) => fileFormats[name].fileName),
  MANIFEST,
  BUNDLE,
];

/** Returns the format of a stable file; undefined for an unknown name, the manifest and the bundle. */
export function formatOfFile(fileName: string): FileFormatName | undefined {
  return fileFormatNames.find((name) => fileFormats[name].fileName === fileName);
}

export const DEFAULT_FILE_FORMAT = 'xlsx' satisfies FileFormatName;

/** `xlsx, json, csv, parquet or zip`, for messages. */
export const fileFormatList = `${fileFormatNames.slice(0, -1).join(', ')} or ${fileFormatNames.at(-1) ?? ''}`;

export function isFileFormat(text: string): text is FileFormatName {
  return Object.hasOwn(fileFormats, text);
}

export function isStreamed(format: FileFormatName): format is StreamedFormatName {
  return fileFormats[format].delivery === 'streamed';
}
