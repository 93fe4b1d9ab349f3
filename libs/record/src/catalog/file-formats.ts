/** What is known of a format before a file of it is written. */
export interface FileFormat {
  mediaType: string;
  /** The last segment of the address of its stable file. */
  fileName: string;
  /** How the name of a file ends; it begins with a dot or a dash. */
  nameEnding: string;
  /** `streamed`: written to each reader while the records come. `stored`: built once, kept, and read in ranges too. */
  delivery: 'streamed' | 'stored';
  /** The parameters that its records may be asked for with, beside a filter. */
  takes: readonly FormParameter[];
}

/** A parameter that says how records come, not which. */
export type FormParameter = 'sort' | 'normalized' | 'fields';

const TABLE = ['sort', 'normalized'] as const;

/**
 * The formats of dataset files, each once: the gateway's parameters and OpenAPI document, exports, and what is frozen with a
 * release follow from this table. Export-svc has a writer for each.
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
  // RFC 4180 §3: `header` says that the first line names the columns.
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

/** The name of a format, as parameters and stored files have it. */
export type FileFormatName = keyof typeof fileFormats;

/** A format that is written while the records come. */
export type StreamedFormatName = {
  [Name in FileFormatName]: (typeof fileFormats)[Name]['delivery'] extends 'streamed' ? Name : never;
}[FileFormatName];

// The table has no other keys.
export const fileFormatNames = Object.keys(fileFormats) as [FileFormatName, ...FileFormatName[]];

/** The list of the stable files of a state, and the archive of all of them. */
export const MANIFEST = 'manifest.json';
export const BUNDLE = 'bundle.zip';

/** The names of the stable files of a state, in the order in which they are listed. */
export const stableFileNames: readonly string[] = [
  ...fileFormatNames.map((name) => fileFormats[name].fileName),
  MANIFEST,
  BUNDLE,
];

/** The format of a stable file by its name; undefined for another name, and for what is made from the files. */
export function formatOfFile(fileName: string): FileFormatName | undefined {
  return fileFormatNames.find((name) => fileFormats[name].fileName === fileName);
}

export const DEFAULT_FILE_FORMAT = 'xlsx' satisfies FileFormatName;

/** The names for a message: `xlsx, json, csv, parquet or zip`. */
export const fileFormatList = `${fileFormatNames.slice(0, -1).join(', ')} or ${fileFormatNames.at(-1) ?? ''}`;

export function isFileFormat(text: string): text is FileFormatName {
  return Object.hasOwn(fileFormats, text);
}

export function isStreamed(format: FileFormatName): format is StreamedFormatName {
  return fileFormats[format].delivery === 'streamed';
}
