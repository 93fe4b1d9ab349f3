import { useState } from 'preact/hooks';
import { MAX_COMPARED } from '@esd/pages/explore-view';
import { withShortNames } from '../materials.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { recordGroups, recordTitle } from '../record-rows.ts';
import { onSubmit } from '../client/events.ts';
import { HiddenFields, Switch, ViewLink } from './links.tsx';
import { useExplore } from './state.ts';
import { useStickyHead } from './use-sticky-head.ts';

export function CompareTab() {
  const { base, view, data } = useExplore();
  const names = useKnownNames();
  const box = useStickyHead();
  const { compared = [] } = data;
  const missing = view.compare.filter((id) => !compared.some(({ recordId }) => recordId === id));
  const columns = compared.map((record) => {
    const named = withShortNames(record, names);
    return { record: named, groups: recordGroups(named, record.normalized) };
  });
  const [first] = columns;
  const { length } = compared;
  return (
    <section class="part first" aria-labelledby="compare">
      <div class="bar spread">
        <h2 id="compare">Comparison</h2>
        {length > 1 && (
          <Switch label="Rows" value={view.differs} options={ROWS} to={(now, differs) => ({ ...now, differs })} />
        )}
      </div>
      {missing.length > 0 && (
        <p class="note warn">
          Records that are not public in this dataset:{' '}
          {missing.map((id, at) => (
            <>
              {at > 0 && ', '}
              {id} <RemoveLink recordId={id} />
            </>
          ))}
          .
        </p>
      )}
      {length === 0 && (
        <p>
          No records selected. Select two to six records in the{' '}
          <ViewLink to={(now) => ({ ...now, tab: 'table', page: 1 })}>table</ViewLink>, or enter their numbers.
        </p>
      )}
      <AddRecord />
      <div
        ref={box}
        class="scroll compare moves-head"
        tabIndex={0}
        role="group"
        aria-labelledby="compare"
        hidden={length === 0}
      >
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
                  <RemoveLink recordId={record.recordId} />
                </th>
              ))}
            </tr>
          </thead>
          {first?.groups.map(({ name, rows }, group) => {
            const filled = rows.flatMap((row, at) => {
              const cells = columns.map(({ groups }) => groups[group]?.rows[at]);
              const differs = new Set(cells.map((cell) => cell?.value?.common.text)).size > 1;
              const isShown =
                cells.some((cell) => cell?.value !== undefined) && (differs || !view.differs || length < 2);
              return isShown ? [{ name: row.name, cells, differs }] : [];
            });
            if (filled.length === 0) return null;
            return (
              <tbody key={name}>
                <tr>
                  <th scope="rowgroup" colSpan={columns.length + 1} class="group">
                    {name}
                  </th>
                </tr>
                {filled.map(({ name: field, cells, differs }) => (
                  <tr class={differs && !view.differs ? 'differs' : undefined} key={field}>
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
                ))}
              </tbody>
            );
          })}
        </table>
      </div>
      {length > 0 && <p class="note-small muted">{legend(length, view.differs)}</p>}
    </section>
  );
}

const ROWS = [
  [false, 'All rows'],
  [true, 'Only differences'],
] as const;

function RemoveLink({ recordId }: { recordId: number }) {
  return (
    <ViewLink
      to={(now) => ({ ...now, compare: now.compare.filter((id) => id !== recordId) })}
      label={`Remove record ${recordId} from the comparison`}
      class="small"
    >
      Remove
    </ViewLink>
  );
}

/** A form that adds a record by its number. */
function AddRecord() {
  const { base, view, go } = useExplore();
  const [text, setText] = useState('');
  if (view.compare.length >= MAX_COMPARED) return null;
  return (
    <form
      class="bar small"
      action={`${base}/explore`}
      method="get"
      onSubmit={onSubmit(() => {
        const added = Number(text);
        setText('');
        go((now) => (now.compare.includes(added) ? now : { ...now, compare: [...now.compare, added] }));
      })}
    >
      <HiddenFields view={view} except={[]} />
      <label>
        Record number{' '}
        <input
          name="compare"
          inputMode="numeric"
          pattern="[1-9][0-9]{0,14}"
          title="A record number, such as 207"
          required
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value.trim())}
        />
      </label>
      <button class="button" type="submit">
        Add to the comparison
      </button>
    </form>
  );
}

function legend(count: number, differs: boolean): string {
  if (count < 2) return 'Add a second record to see the differences.';
  return differs
    ? 'Fields with equal values are hidden.'
    : 'Rows with different values are shaded. Fields that no record reports are hidden.';
}
