import type { PublishedRevision } from '@esd/pages/page';
import { countText, dateText } from '../format.ts';
import { FieldChanges } from '../parts/field-changes.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';

interface Props {
  history: readonly PublishedRevision[];
  recordId: number;
  base: string;
}

export function RecordHistory({ history, recordId, base }: Props) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ScrollTable labelledBy="history" heads={['Revision', 'Public since', 'Releases']}>
        {history.map(({ revision, publishedAt, versions }) => (
          <tr key={revision}>
            <th scope="row">{revision}</th>
            <td class="nowrap">{dateText(publishedAt)}</td>
            <td>
              {versions.length === 0 && <span class="muted">none</span>}
              {versions.map((identifier, at) => (
                <>
                  {at > 0 && ', '}
                  <a href={`${base}/record/${recordId}?version=${encodeURIComponent(identifier)}`}>{identifier}</a>
                </>
              ))}
            </td>
          </tr>
        ))}
      </ScrollTable>
      {history.map(
        ({ revision, changes }) =>
          changes && (
            <details key={revision}>
              <summary id={`changes-${revision}`}>
                Changes in revision {revision} ({countText(changes.total, 'field')})
              </summary>
              <FieldChanges labelledBy={`changes-${revision}`} changes={changes.first} />
              {changes.total > changes.first.length && (
                <p class="small muted">Showing the first {changes.first.length}.</p>
              )}
            </details>
          ),
      )}
    </section>
  );
}
