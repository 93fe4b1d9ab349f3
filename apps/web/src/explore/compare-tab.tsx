import type { ShownRecord } from '@esd/pages/explore-data';
import { withShortNames } from '../materials.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { recordGroups, recordTitle } from '../record-rows.ts';
import { ViewLink } from './links.tsx';
import { useExplore } from './state.ts';

export function CompareTab() {
  const { base, view, data } = useExplore();
  const known = useKnownNames();
  const { compared = [] } = data;
  const missing = view.compare.filter((id) => !compared.some(({ recordId }) => recordId === id));
  if (compared.length === 0) {
    return (
      <p class="part first">
        No records selected. Select two to six records in the{' '}
        <ViewLink to={(now) => ({ ...now, tab: 'table', page: 1 })}>table</ViewLink> to compare them.
      </p>
    );
  }
  const columns = compared.map((record) => {
    const shown = withShortNames(record, known);
    return { record: shown, groups: recordGroups(shown, record.normalized) };
  });
  const [first] = columns;
  return (
    <section class="part first" aria-labelledby="compare">
      <h2 id="compare">Comparison</h2>
      {missing.length > 0 && (
        <p class="note warn">Records that are not public in this dataset: {missing.join(', ')}.</p>
      )}
      <div class="scroll tall compare" tabIndex={0} role="group" aria-labelledby="compare">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden-text">Field</span>
              </th>
              {columns.map(({ record }) => (
                <th scope="col" key={record.recordId}>
                  <a href={`${base}/record/${record.recordId}`}>Record {record.recordId}</a>
                  <small>{recordTitle(record, record.normalized)}</small>
                  <ViewLink
                    to={(now) => ({ ...now, compare: now.compare.filter((id) => id !== record.recordId) })}
                    label={`Remove record ${record.recordId} from the comparison`}
                    class="small"
                  >
                    Remove
                  </ViewLink>
                </th>
              ))}
            </tr>
          </thead>
          {first?.groups.map(({ name, rows }, group) => {
            const filled = rows.flatMap((row, at) => {
              const cells = columns.map(({ groups }) => groups[group]?.rows[at]);
              return cells.some((cell) => cell?.value !== undefined) ? [{ name: row.name, cells }] : [];
            });
            if (filled.length === 0) return null;
            return (
              <tbody key={name}>
                <tr>
                  <th scope="rowgroup" colSpan={columns.length + 1} class="group">
                    {name}
                  </th>
                </tr>
                {filled.map(({ name: field, cells }) => {
                  const differs = new Set(cells.map((cell) => cell?.value?.common.text)).size > 1;
                  return (
                    <tr class={differs ? 'differs' : undefined} key={field}>
                      <th scope="row">{field}</th>
                      {cells.map((cell, at) => (
                        <td key={compared[at]?.recordId}>
                          {cell?.value?.common.text ?? <span class="muted">not reported</span>}
                          {cell?.value?.common.note !== undefined && (
                            <small class="muted"> {cell.value.common.note}</small>
                          )}
                        </td>
                      ))}
                    </tr>
                  );
                })}
              </tbody>
            );
          })}
        </table>
      </div>
      <p class="note-small muted">{legend(compared)}</p>
    </section>
  );
}

function legend(compared: readonly ShownRecord[]): string {
  return compared.length < 2
    ? 'Select a second record to see the differences.'
    : 'Rows with different values are shaded. Fields that no record reports are hidden.';
}
