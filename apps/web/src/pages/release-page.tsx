import type { Frame, ReleasePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { bytesText, countText, dateText, numberText } from '../format.ts';
import { CitationBox } from '../parts/citation-box.tsx';
import { Changes } from './release-changes.tsx';
import { Papers } from './release-papers.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';

interface Props {
  page: ReleasePage;
  frame: Frame;
}

/** /release/{version}: what a release is, how to cite it, and its files. */
export function Release({ page, frame }: Props) {
  const { base } = frame;
  const { version, frozenAt, citation, change, papers } = page;
  const isLatest = frozenAt === null;
  const title = `Electrospinning Dataset, ${version}`;
  return (
    <Document frame={frame} title={isLatest ? 'Latest data' : `Release ${version}`} section="releases">
      <div class="wrap">
        <p class="small muted">
          <a href={`${base}/releases`}>Releases</a> / {version}
        </p>
        <h1>{title}</h1>
        <Status page={page} base={base} />
        {page.description !== null && <p class="lede">{page.description}</p>}
        <div class="columns">
          <div>
            <CitationBox
              title={isLatest ? 'How to cite' : 'How to cite this release'}
              citation={citation}
              formats={[]}
              note="Please also cite the papers you used; the list is below."
            />
            <Files page={page} />
            <Changes change={change} page={page} base={base} />
            <Papers papers={papers} />
          </div>
          <Aside page={page} base={base} />
        </div>
      </div>
    </Document>
  );
}

function Status({
  page: { version, frozenAt, isNewest, license, releases },
  base,
}: {
  page: ReleasePage;
  base: string;
}) {
  const [newest] = releases;
  if (frozenAt === null) {
    return (
      <p class="small">
        <b>Live: it changes.</b>{' '}
        {newest && (
          <>
            To cite, use <a href={`${base}/release/${encodeURIComponent(newest.identifier)}`}>{newest.identifier}</a>.
          </>
        )}
      </p>
    );
  }
  return (
    <p class="small">
      <b class="ok">
        <span aria-hidden="true">✓ </span>Frozen on {dateText(frozenAt)}
      </b>{' '}
      <span class="muted">
        It never changes. {isNewest ? 'Newest release.' : ''} {license ?? ''}
      </span>
      {!isNewest && newest && newest.identifier !== version && (
        <>
          {' '}
          A newer one is <a href={`${base}/release/${encodeURIComponent(newest.identifier)}`}>{newest.identifier}</a>.
        </>
      )}
    </p>
  );
}

function Files({ page: { files, frozenAt } }: { page: ReleasePage }) {
  const isLatest = frozenAt === null;
  return (
    <section aria-labelledby="files">
      <h2 id="files">{isLatest ? 'Downloads' : 'Files'}</h2>
      <ScrollTable labelledBy="files">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">What</th>
            {!isLatest && (
              <>
                <th scope="col" class="number">
                  Size
                </th>
                <th scope="col">SHA-256</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {files.map(({ name, what, address, stored }) => (
            <tr>
              <th scope="row">
                <a href={address}>{name}</a>
              </th>
              <td>{what}</td>
              {!isLatest && (
                <>
                  <td class="number nowrap">{stored && bytesText(stored.bytes)}</td>
                  <td>
                    {stored ? (
                      <code class="hash">{stored.sha256}</code>
                    ) : (
                      <span class="muted">made when asked for</span>
                    )}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </section>
  );
}

function Aside({ page, base }: { page: ReleasePage; base: string }) {
  const { version, records, papers, polymers, stable, unstable, filled, digest, releases } = page;
  return (
    <aside aria-label="Facts">
      <section>
        <h2>In numbers</h2>
        <dl class="facts">
          <Fact name="Experiments" value={numberText(records)} />
          <Fact name="Papers" value={numberText(papers.distinct)} />
          <Fact name="Polymers" value={numberText(polymers)} />
          <Fact name="Stable, not stable" value={`${numberText(stable)}, ${numberText(unstable)}`} />
          {filled.map(({ what, count }) => (
            <Fact name={`With ${what}`} value={numberText(count)} />
          ))}
        </dl>
      </section>
      {digest !== null && (
        <section>
          <h2>Digest</h2>
          <p class="small muted">SHA-256 of the canonical JSON of all records; anyone can check it.</p>
          <p>
            <code class="hash">{digest}</code>
          </p>
        </section>
      )}
      <section>
        <h2>Releases</h2>
        <ul class="small">
          {releases.map(({ identifier, frozenAt, records: count }) => (
            <li>
              {identifier === version ? (
                <b aria-current="page">{identifier}</b>
              ) : (
                <a href={`${base}/release/${encodeURIComponent(identifier)}`}>{identifier}</a>
              )}{' '}
              · {dateText(frozenAt)} · {countText(count, 'experiment')}
            </li>
          ))}
          <li>
            {version === 'latest' ? <b aria-current="page">latest</b> : <a href={`${base}/release/latest`}>latest</a>} ·
            changes
          </li>
        </ul>
      </section>
    </aside>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
