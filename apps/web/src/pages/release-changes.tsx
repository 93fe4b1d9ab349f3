import type { Change, RecordCount } from '@esd/pages/page';
import { countText, numberText } from '../format.ts';
import { OldAndNew } from '../parts/field-changes.tsx';
import { Heads, ScrollTable } from '../parts/scroll-table.tsx';
import { fieldPath } from '../record-rows.ts';

interface Props {
  change: Change | undefined;
  /** Undefined for the latest dataset. */
  version: string | undefined;
  base: string;
}

export function Changes({ change, version, base }: Props) {
  if (!change) {
    return version === undefined ? null : (
      <section aria-labelledby="changes">
        <h2 id="changes">Changes</h2>
        <p>This is the first release. There is no previous release to compare it with.</p>
      </section>
    );
  }
  const { since, added, removed, changed, examples } = change;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes since {since}</h2>
      <ul class="sizes">
        <li>
          <b>+{numberText(added.total)}</b> added
        </li>
        <li>
          <b>{numberText(changed)}</b> changed
        </li>
        <li>
          <b>{numberText(removed.total)}</b> removed
        </li>
      </ul>
      {examples.length > 0 && <ChangedRecords change={change} version={version} base={base} />}
      <Named what="Added" records={added} version={version} base={base} />
      <Named what="Removed" records={removed} version={since} base={base} />
      {added.total + removed.total + changed > 0 && (
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

function ChangedRecords({ change, version, base }: { change: Change; version: string | undefined; base: string }) {
  const { since, changed, examples } = change;
  return (
    <>
      <ScrollTable labelledBy="changes">
        <Heads of={['Record', 'Field', since, version ?? 'latest']} />
        {examples.map(({ recordId, total, fields }) => {
          const left = total - fields.length;
          return (
            <tbody key={recordId} class="changes">
              {fields.map((field, at) => (
                <tr key={at}>
                  {at === 0 && (
                    <th scope="rowgroup" rowSpan={fields.length + (left > 0 ? 1 : 0)}>
                      <a href={recordAddress(recordId, version, base)}>{recordId}</a>
                    </th>
                  )}
                  <th scope="row">{fieldPath(field.path)}</th>
                  <OldAndNew change={field} />
                </tr>
              ))}
              {left > 0 && (
                <tr>
                  <td class="muted" colSpan={3}>
                    and {countText(left, 'more field')}
                  </td>
                </tr>
              )}
            </tbody>
          );
        })}
      </ScrollTable>
      {changed > examples.length && (
        <p class="small muted">
          Showing the first {examples.length} of {countText(changed, 'changed record')}.
        </p>
      )}
    </>
  );
}

function Named({ what, records, version, base }: NamedProps) {
  const { total, first } = records;
  if (total === 0) return null;
  return (
    <p class="small">
      {what}:{' '}
      {first.map((recordId, at) => (
        <>
          {at > 0 && ', '}
          <a href={recordAddress(recordId, version, base)}>{recordId}</a>
        </>
      ))}
      {total > first.length && ` and ${numberText(total - first.length)} more`}.
    </p>
  );
}

interface NamedProps {
  what: string;
  records: RecordCount;
  version: string | undefined;
  base: string;
}

function recordAddress(recordId: number, version: string | undefined, base: string): string {
  return `${base}/record/${recordId}${version === undefined ? '' : `?version=${encodeURIComponent(version)}`}`;
}
