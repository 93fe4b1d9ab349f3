import { type FileFormatName, fileFormats } from '@esd/record/catalog/file-formats';
import type { FileColumn } from '@esd/record/flatten/file-columns';
import type { DatasetDescription } from '@esd/record/metadata/description';

export interface ListedFile {
  format: FileFormatName;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** Undefined for a file without a table. */
  columns: readonly FileColumn[] | undefined;
}

/** Returns the text of `manifest.json`. `digest`: the digest of the records of a release. */
export function manifest(
  { version, revision, recordCount, issued, license }: DatasetDescription,
  digest: string | undefined,
  files: readonly ListedFile[],
): string {
  const whole = {
    version: version ?? `r${revision}`,
    recordCount,
    digest: digest ?? null,
    createdAt: issued.toISOString(),
    license,
    files: files.map(({ format, bytes, sha256, columns }) => ({
      name: fileFormats[format].fileName,
      bytes,
      sha256,
      mediaType: fileFormats[format].mediaType,
      // A zip contains image files, not rows.
      rows: format === 'zip' ? null : recordCount,
      columns: columns ?? null,
    })),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
