import type { Frame, ReleasesPage } from '@esd/pages/page';
import { doiUrl } from '@esd/record/metadata/dataset-facts';
import { Document } from '../document.tsx';
import { releaseFeed } from '../feeds.ts';
import { countText, dateText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';

export function Releases({ page: { releases }, frame }: { page: ReleasesPage; frame: Frame }) {
  const { base } = frame;
  return (
    <Document frame={frame} title="Releases" feeds={[releaseFeed]} section="releases">
      <div class="wrap">
        <h1 id="releases">Releases</h1>
        <p class="lede">
          A release is a frozen state of the dataset. It never changes, so results computed from it are reproducible.{' '}
          <a href={`${base}/release/latest`}>The latest dataset</a> changes whenever an experiment is approved.
        </p>
        {releases.length === 0 ? (
          <p>No release yet. You can read and download the latest dataset.</p>
        ) : (
          <ScrollTable
            labelledBy="releases"
            heads={['Release', 'Frozen on', { number: 'Experiments' }, 'DOI', 'Description']}
          >
            {releases.map(({ identifier, frozenAt, records, doi, description }) => (
              <tr key={identifier}>
                <th scope="row">
                  <a href={`${base}/release/${encodeURIComponent(identifier)}`}>{identifier}</a>
                </th>
                <td class="nowrap">{dateText(frozenAt)}</td>
                <td class="number">{records}</td>
                <td>{doi === null ? <span class="muted">none</span> : <a href={doiUrl(doi)}>{doi}</a>}</td>
                <td class="prose">{description}</td>
              </tr>
            ))}
          </ScrollTable>
        )}
        {releases.length > 0 && <p class="small muted">{countText(releases.length, 'release')}.</p>}
        <p class="small">
          <a href={`${base}/contributors`}>Contributors</a>
        </p>
      </div>
    </Document>
  );
}
