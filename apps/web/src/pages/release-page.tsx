import type { DatasetDescription } from '@esd/record/metadata/description';
import { LATEST } from '@esd/pages/explore-view';
import type { Frame, ReleasePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { Changes } from './release-changes.tsx';
import { ReleaseFacts } from './release-facts.tsx';
import { Files } from './release-files.tsx';
import { KnownNames } from '../parts/known-names.tsx';
import { Papers } from '../parts/papers.tsx';
import { papersAddress } from '../parts/papers-files.tsx';

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
