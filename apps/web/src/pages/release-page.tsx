import type { DataFile, DatasetDescription } from '@esd/record/metadata/description';
import { LATEST } from '@esd/pages/explore-view';
import type { Frame, ReleasePage } from '@esd/pages/page';
import { type FileFormatName, fileFormats } from '@esd/record/catalog/file-formats';
import { Document } from '../document.tsx';
import { bytesText, dateText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { KnownNames } from '../parts/known-names.tsx';
import { Papers } from '../parts/papers.tsx';
import { papersAddress } from '../parts/papers-files.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { Changes } from './release-changes.tsx';
import { ReleaseFacts } from './release-facts.tsx';

/** `/release/{version}`: the description, citation, files, changes, and papers of a release or of the latest dataset. */
export function Release({ page, frame }: { page: ReleasePage; frame: Frame }) {
  const { base } = frame;
  const { description, change, papers, releases } = page;
  const { version, title } = description;
  const metadata = `${base}/public/dataset/${version ?? 'latest'}/metadata`;
  const cited = releases[0]?.identifier;
  return (
    <Document
      frame={frame}
      title={version === undefined ? 'Latest dataset' : `Release ${version}`}
      about={description}
      section="releases"
    >
      <KnownNames base={base} known={page.known}>
        <div class="wrap">
          <p class="small muted">
            <a href={`${base}/releases`}>Releases</a> / {version ?? 'latest'}
          </p>
          <h1>
            {title}, {version ?? 'latest'}
          </h1>
          <Status description={description} newest={cited} base={base} />
          <p class="prose">{description.description}</p>
          <div class="columns">
            <div>
              <CitationBox
                title={version === undefined ? 'How to cite' : 'How to cite this release'}
                about={description}
                metadata={metadata}
                papers={papersAddress(base, version ?? LATEST)}
                note="Please also cite the papers whose data you use. They are listed below."
              />
              <Files files={description.files} base={base} />
              <Changes change={change} version={version} base={base} />
              <Papers papers={papers} />
            </div>
            <ReleaseFacts page={page} base={base} metadata={metadata} />
          </div>
        </div>
      </KnownNames>
    </Document>
  );
}

interface StatusProps {
  description: DatasetDescription;
  newest: string | undefined;
  base: string;
}

function Status({ description: { version, issued, license }, newest, base }: StatusProps) {
  const link = newest !== undefined && <a href={`${base}/release/${encodeURIComponent(newest)}`}>{newest}</a>;
  if (version === undefined) {
    return (
      <p class="small">
        <b>This dataset can change.</b> {newest !== undefined && <>To cite it, use release {link}.</>}
      </p>
    );
  }
  return (
    <p class="small">
      <b class="ok">
        <span aria-hidden="true">✓ </span>Frozen on {dateText(issued.toISOString())}.
      </b>{' '}
      <span class="muted">
        It never changes. {newest === version ? 'This is the newest release.' : ''} License: {license}.
      </span>{' '}
      {newest !== version && <>The newest release is {link}.</>}
    </p>
  );
}

const CONTENTS: Readonly<Record<FileFormatName, string>> = {
  xlsx: 'Excel, flat columns',
  json: 'JSON, whole records',
  csv: 'CSV, flat columns',
  parquet: 'Parquet, for analysis',
  zip: 'Images',
};

/** The files of a release with size and checksum, or the downloads of the latest dataset. */
function Files({ files, base }: { files: readonly DataFile[]; base: string }) {
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
