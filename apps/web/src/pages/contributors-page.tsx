import type { ContributorsPage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText, numberText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';

export function Contributors({ page: { contributors }, frame }: { page: ContributorsPage; frame: Frame }) {
  const { base } = frame;
  return (
    <Document frame={frame} title="Contributors">
      <div class="wrap">
        <h1 id="contributors">Contributors</h1>
        <p class="lede">This page lists contributors of published experiments who chose to be named.</p>
        {contributors.length === 0 ? (
          <p>
            No contributors listed yet. <a href={`${base}/contribute`}>Contribute your experiments</a> and choose to be
            named.
          </p>
        ) : (
          <>
            <ScrollTable
              labelledBy="contributors"
              heads={['Name', 'Affiliation', 'ORCID iD', { number: 'Published experiments' }]}
            >
              {contributors.map(({ name, affiliation, orcid, publishedRecords }, at) => (
                <tr key={at}>
                  <th scope="row">{name}</th>
                  <td>{affiliation ?? <span class="muted">not stated</span>}</td>
                  <td class="nowrap">
                    {orcid === undefined ? (
                      <span class="muted">not stated</span>
                    ) : (
                      <a href={`https://orcid.org/${encodeURIComponent(orcid)}`}>{orcid}</a>
                    )}
                  </td>
                  <td class="number">{numberText(publishedRecords)}</td>
                </tr>
              ))}
            </ScrollTable>
            <p class="small muted">{countText(contributors.length, 'contributor')}.</p>
          </>
        )}
        <p class="small">
          <a href={`${base}/contributors/list`}>This list as JSON</a>
        </p>
      </div>
    </Document>
  );
}
