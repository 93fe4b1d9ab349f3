import type { Frame, HomePage } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { dateText, numberText } from '../format.ts';

/** /: what this is, how large it is, and where everything is. */
export function Home({ page: { records, newest, api, hasSecurityContact }, frame }: { page: HomePage; frame: Frame }) {
  const { base } = frame;
  return (
    <Document frame={frame} title="Electrospinning Dataset">
      <div class="wrap">
        <h1>Electrospinning experiments, open and citable</h1>
        <p class="lede">What people set, what they spun, and what failed. Every value leads back to its paper.</p>
        <ul class="sizes">
          {records !== undefined && (
            <li>
              <b>{numberText(records)}</b> experiments
            </li>
          )}
          {newest && (
            <li>
              <b>
                <a href={`${base}/release/${encodeURIComponent(newest.identifier)}`}>{newest.identifier}</a>
              </b>{' '}
              newest release, {dateText(newest.frozenAt)}
            </li>
          )}
        </ul>
        {records === 0 && <p>No experiments yet.</p>}
        <div class="columns">
          <div>
            <section>
              <h2>Look</h2>
              <ul>
                <li>
                  <a href={`${base}/release/latest`}>The latest data</a>: files, papers, and what they hold
                </li>
                <li>
                  <a href={`${base}/releases`}>Releases</a>: frozen versions to cite
                </li>
                <li>
                  <a href={`${base}/public/dataset/export?format=xlsx`}>Download as a spreadsheet</a>
                </li>
              </ul>
            </section>
            <section>
              <h2>From a terminal</h2>
              <pre tabIndex={0}>{`curl "${api}/public/dataset?limit=5"`}</pre>
            </section>
          </div>
          <aside aria-label="For programs">
            <section>
              <h2>For programs</h2>
              <ul>
                <li>
                  <a href={`${base}/docs`}>Documentation of the API</a>
                </li>
                <li>
                  <a href={`${base}/openapi.json`}>OpenAPI description</a>
                </li>
                <li>
                  <a href={`${base}/public/dataset`}>Records as JSON</a>
                </li>
                {hasSecurityContact && (
                  <li>
                    <a href={`${base}/.well-known/security.txt`}>Report a vulnerability</a>
                  </li>
                )}
              </ul>
            </section>
          </aside>
        </div>
      </div>
    </Document>
  );
}
