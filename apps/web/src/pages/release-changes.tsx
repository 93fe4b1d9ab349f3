import type { Change } from '@esd/pages/page';
import { numberText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';

interface Props {
  change: Change | undefined;
  /** Undefined: the dataset as it is now. */
  version: string | undefined;
  base: string;
}

/** What is another than in the release before. */
export function Changes({ change, version, base }: Props) {
  if (!change) {
    return version === undefined ? null : (
      <section aria-labelledby="changes">
        <h2 id="changes">What changed</h2>
        <p>The first release: nothing to compare with.</p>
      </section>
    );
  }
  const { since, added, removed, changed, examples } = change;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">What changed since {since}</h2>
      <ul class="sizes">
        <li>
          <b>+{numberText(added)}</b> added
        </li>
        <li>
          <b>{numberText(changed)}</b> changed
        </li>
        <li>
          <b>{numberText(removed)}</b> removed
        </li>
      </ul>
      {examples.length > 0 && (
        <ScrollTable labelledBy="changes">
          <thead>
            <tr>
              <th scope="col">Record</th>
              <th scope="col">Fields that changed</th>
            </tr>
          </thead>
          <tbody>
            {examples.map(({ recordId, fields }) => (
              <tr>
                <th scope="row">
                  <a href={`${base}/record/${recordId}`}>{recordId}</a>
                </th>
                <td>{fields.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
      {added + removed + changed > 0 && (
        <p class="small">
          <a
            href={`${base}/public/dataset/versions/${encodeURIComponent(since)}/diff/${encodeURIComponent(version ?? 'latest')}`}
          >
            All changes (JSON)
          </a>
        </p>
      )}
    </section>
  );
}
