import { isDoi, normalizeDoi } from '@esd/record/metadata/doi';
import type { Frame, RecordPage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { MetadataLinks } from '../parts/metadata-links.tsx';
import { PaperLink } from '../parts/paper-link.tsx';
import { type RecordGroup, recordGroups, recordTitle } from '../record-rows.ts';

const FORMATS = [
  ['schema-org', 'schema.org'],
  ['datacite-json', 'DataCite JSON'],
  ['datacite-xml', 'DataCite XML'],
] as const;

interface Props {
  page: RecordPage;
  frame: Frame;
}

/** /record/{id}: one experiment, whole. */
export function Record({ page, frame }: Props) {
  const { base } = frame;
  const { description, record, normalized, revision, versions, withdrawn } = page;
  const { recordId, version = 'latest', modified } = description;
  const title = recordTitle(record, normalized);
  const isStable = record.fiberProperty?.isFormationStable;
  const { doi, publicationTitle } = record.researchMetadata ?? {};
  const images = (record.fiberImages ?? []).flatMap(({ imageId, imageType }) =>
    imageId === undefined ? [] : [{ address: `${base}/images/${imageId}/content`, description: imageType }],
  );
  const data = `${base}/public/dataset/${version}/records/${recordId}`;
  return (
    <Document frame={frame} title={`Record ${recordId}: ${title}`} about={description}>
      <div class="wrap">
        <p class="small muted">
          <a href={`${base}/release/${encodeURIComponent(version)}`}>{version}</a> / Record {recordId}
        </p>
        <h1>{title}</h1>
        {withdrawn !== undefined && (
          <p>
            <b class="bad">Withdrawn on {dateText(withdrawn.at)}:</b> {withdrawn.reason} This release still holds the
            record.
          </p>
        )}
        <p class="small">
          {isStable === undefined ? (
            <span class="muted">Fiber formation not reported.</span>
          ) : isStable ? (
            <b class="ok">
              <span aria-hidden="true">✓ </span>Stable fiber formation
            </b>
          ) : (
            <b class="bad">
              <span aria-hidden="true">✕ </span>Fiber formation was not stable
            </b>
          )}{' '}
          <span class="muted">
            Reviewed on {dateText(modified.toISOString())} by a moderator · revision {revision} ·{' '}
            {versions.length === 0 ? 'in no release yet' : 'in '}
            {versions.map((identifier, at) => (
              <>
                {at > 0 && ', '}
                <a href={`${base}/release/${encodeURIComponent(identifier)}`}>{identifier}</a>
              </>
            ))}
          </span>
        </p>
        <div class="columns">
          <div class="groups">
            {recordGroups(record, normalized).map((group) => (
              <Group group={group} />
            ))}
          </div>
          <aside aria-label="Source, citation and formats">
            <section>
              <h2>Source</h2>
              {doi !== undefined ? (
                <>
                  <p>
                    <PaperLink doi={isDoi(doi) ? normalizeDoi(doi) : doi} />
                  </p>
                  {publicationTitle !== undefined && <p class="small">{publicationTitle}</p>}
                  <p class="small muted">Cite it whenever you use this record.</p>
                </>
              ) : (
                <p class="muted">No paper is named.</p>
              )}
            </section>
            <CitationBox title="How to cite this record" about={description} metadata={`${data}/metadata`} />
            <section>
              <h2>Images</h2>
              {images.length === 0 ? (
                <p class="muted">No image was given for this experiment.</p>
              ) : (
                <ul class="images">
                  {images.map(({ address, description }) => (
                    <li>
                      <a href={address}>
                        <img
                          src={address}
                          alt={`Image of the fibers${description === undefined ? '' : `: ${description}`}`}
                          loading="lazy"
                        />
                      </a>
                    </li>
                  ))}
                </ul>
              )}
            </section>
            <MetadataLinks metadata={`${data}/metadata`} formats={FORMATS} />
            <section>
              <h2>For programs</h2>
              <p>
                <a href={data}>This record as JSON</a>
              </p>
            </section>
          </aside>
        </div>
      </div>
    </Document>
  );
}

function Group({ group: { name, rows } }: { group: RecordGroup }) {
  const reported = rows.filter(({ value }) => value !== undefined);
  const missing = rows.filter(({ value }) => value === undefined).map((row) => row.name);
  return (
    <section>
      <h2>{name}</h2>
      <dl class="facts wide">
        {reported.map((row) => (
          <div>
            <dt>{row.name}</dt>
            <dd>
              {row.value}
              {row.note !== undefined && <span class="small muted"> {row.note}</span>}
            </dd>
          </div>
        ))}
        {missing.length > 0 && (
          <div>
            <dt>{missing.join(', ')}</dt>
            <dd class="muted">not reported</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
