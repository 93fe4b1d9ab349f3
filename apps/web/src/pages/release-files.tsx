import { type FileFormatName, fileFormats } from '@esd/record/catalog/file-formats';
import type { DataFile } from '@esd/record/metadata/description';
import { bytesText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';

const CONTENTS: Readonly<Record<FileFormatName, string>> = {
  xlsx: 'Excel, flat columns',
  json: 'JSON, whole records',
  csv: 'CSV, flat columns',
  parquet: 'Parquet, for analysis',
  zip: 'Images',
};

/** The files of a release with size and checksum, or the downloads of the latest dataset. */
export function Files({ files, base }: { files: readonly DataFile[]; base: string }) {
  const isStored = files.some(({ stored }) => stored !== undefined);
  const [first] = files;
  const folder = first && ownAddress(first.url, base).replace(/[^/]+$/, '');
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <ScrollTable labelledBy="files" heads={['File', 'Content', ...(isStored ? [{ number: 'Size' }, 'SHA-256'] : [])]}>
        {files.map(({ format, url, stored }) => (
          <tr key={format}>
            <th scope="row" class="nowrap">
              <a href={ownAddress(url, base)}>{fileFormats[format].fileName}</a>
            </th>
            <td>{CONTENTS[format]}</td>
            {isStored && (
              <>
                <td class="number nowrap">{stored && bytesText(stored.bytes)}</td>
                <td>
                  {stored ? <code class="hash">{stored.sha256}</code> : <span class="muted">created on request</span>}
                </td>
              </>
            )}
          </tr>
        ))}
      </ScrollTable>
      {folder !== undefined && (
        <p class="small">
          <a href={`${folder}bundle.zip`}>bundle.zip</a> contains all files with metadata, license, and citation
          (RO-Crate). <a href={`${folder}manifest.json`}>manifest.json</a> lists sizes, checksums, columns, and units.
        </p>
      )}
    </section>
  );
}

/** Converts the URL of a file, which is absolute if the public URL is known, to a path below the base. */
function ownAddress(url: string, base: string): string {
  const path = url.replace(/^https?:\/\/[^/]+/, '');
  return path.startsWith(`${base}/`) ? path : `${base}${path}`;
}
