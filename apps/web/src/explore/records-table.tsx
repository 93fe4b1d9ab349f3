import { useRef } from 'preact/hooks';
import type { ShownRecord } from '@esd/pages/explore-data';
import { pageSize } from '@esd/pages/explore-page';
import { type Column, columns, defaultColumns, type ExploreView, MAX_COMPARED } from '@esd/pages/explore-view';
import { isPaperKey } from '@esd/record/filter/filter-keys';
import { sortKeyOf } from '@esd/record/filter/sort-keys';
import { numberText } from '../format.ts';
import { isFeature, keyName, unitOf } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { paperOf, PaperReference } from '../parts/paper-link.tsx';
import { substancesOf } from '../materials.ts';
import { Button } from '../parts/buttons.tsx';
import { HiddenFields, ViewLink } from './links.tsx';
import { cellText, withoutUnit } from './record-values.ts';
import { type Step, useExplore } from './state.ts';
import { useStickyHead } from './use-sticky-head.ts';

export function RecordsTable() {
  const { view, data, units } = useExplore();
  const { records = [], total } = data;
  const box = useStickyHead();
  const size = pageSize(view);
  const first = (view.page - 1) * size + 1;
  const shownColumns = view.columns;
  const unstated = shownColumns.flatMap((column) => {
    const count = isFeature(column) ? withoutUnit(records, column) : 0;
    return count > 0 && isFeature(column)
      ? [`* unit not stated, read as ${unitOf(column, {})} (${keyName(column)}: ${count} of ${records.length})`]
      : [];
  });
  return (
    <section class="part" aria-labelledby="records">
      <div class="bar spread">
        <h2 id="records">Records</h2>
        <div class="bar small">
          <span class="muted">
            {records.length === 0 ? 'none' : `${numberText(first)}–${numberText(first + records.length - 1)}`} of{' '}
            {numberText(total)}
          </span>
          <ColumnChoice />
          {view.page > 1 && (
            <ViewLink to={(now) => ({ ...now, page: Math.max(1, now.page - 1) })} class="button" heading="records">
              Previous page
            </ViewLink>
          )}
          {first + size <= total && (
            <ViewLink to={(now) => ({ ...now, page: now.page + 1 })} class="button" heading="records">
              Next page
            </ViewLink>
          )}
        </div>
      </div>
      <div ref={box} class="scroll records moves-head" role="group" tabIndex={0} aria-labelledby="records">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden-text">Compare</span>
              </th>
              <SortHead column="recordId" text="No." unit="" />
              {shownColumns.map((column) => (
                <SortHead
                  key={column}
                  column={column}
                  text={keyName(column)}
                  unit={isFeature(column) ? unitOf(column, units) : ''}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record) => (
              <Row key={record.recordId} record={record} columns={shownColumns} />
            ))}
          </tbody>
        </table>
      </div>
      <div class="bar spread small">
        <span class="muted">{['– not reported', ...unstated].join('   ')}</span>
        <Selected />
      </div>
    </section>
  );
}

function Row({ record, columns: shownColumns }: { record: ShownRecord; columns: readonly Column[] }) {
  const { base, view, units } = useExplore();
  const { recordId } = record;
  const { paperOf: knownPaper, substanceOf } = useKnownNames();
  const { doi } = record.researchMetadata ?? {};
  const paper = doi === undefined ? undefined : knownPaper(paperOf(doi));
  const isChosen = view.compare.includes(recordId);
  return (
    <tr class={isChosen ? 'is-chosen' : undefined}>
      <td>
        <CompareBox recordId={recordId} />
      </td>
      <th scope="row">
        <a href={`${base}/record/${recordId}`}>{recordId}</a>
      </th>
      {shownColumns.map((column) => {
        const substances = column === 'polymer' || column === 'solvent' ? substancesOf(record, column) : [];
        const text = isPaperKey(column) ? paper?.[column]?.toString() : cellText(record, column, units);
        if (text === undefined) {
          return (
            <td key={column} class={isFeature(column) ? 'number muted' : 'muted'} aria-label="not reported">
              –
            </td>
          );
        }
        if (column === 'doi') {
          return (
            <td key={column} class="paper">
              <PaperReference doi={paperOf(text)} />
            </td>
          );
        }
        if (column === 'polymer' || column === 'solvent') {
          return (
            <td key={column} title={substances.join('–')}>
              {substances.map((value) => substanceOf(column, value).shortName).join('–')}
            </td>
          );
        }
        return (
          <td
            key={column}
            class={isFeature(column) ? (column === 'fiberDiameter' ? 'number strong' : 'number') : undefined}
          >
            {text}
          </td>
        );
      })}
    </tr>
  );
}

/** Selects a record for the comparison. Without script, it is a link. */
function CompareBox({ recordId }: { recordId: number }) {
  const { view, go, isLive } = useExplore();
  const isChosen = view.compare.includes(recordId);
  const isFull = !isChosen && view.compare.length >= MAX_COMPARED;
  const to: Step = (now) => {
    const otherIds = now.compare.filter((id) => id !== recordId);
    return { ...now, compare: isChosen ? otherIds : [...otherIds, recordId].slice(0, MAX_COMPARED) };
  };
  const label = `Compare record ${recordId}`;
  if (!isLive) {
    return isFull ? null : (
      <ViewLink to={to} label={isChosen ? `Remove record ${recordId} from the comparison` : label} class="compare-link">
        {isChosen ? '☑' : '☐'}
      </ViewLink>
    );
  }
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isChosen}
      disabled={isFull}
      title={isFull ? 'You can compare at most six records' : undefined}
      onChange={() => go(to, { sameStep: 'compare' })}
    />
  );
}

function Selected() {
  const { view } = useExplore();
  const { length } = view.compare;
  if (length === 0) return null;
  return (
    <span>
      <b>{length} selected</b>
      {length >= MAX_COMPARED && ' (the maximum)'}{' '}
      <ViewLink to={(now) => ({ ...now, tab: 'compare', page: 1 })}>Compare side by side</ViewLink>
    </span>
  );
}

/** A column header that sorts ascending, then descending, then by record number again. */
function SortHead({ column, text, unit }: { column: Column | 'recordId'; text: string; unit: string }) {
  const { view } = useExplore();
  const key = sortKeyOf(column);
  const isNumber = column !== 'recordId' && isFeature(column);
  const small = unit === '' ? null : <small>{unit}</small>;
  if (key === undefined) {
    return (
      <th scope="col" class={isNumber ? 'number' : undefined}>
        {text}
        {small}
      </th>
    );
  }
  const order = orderOf(view, key);
  const next = order === 'none' ? key : order === 'ascending' ? `-${key}` : '';
  // The default order is already ascending by record number.
  const sort = key === 'recordId' && next === 'recordId' ? '-recordId' : next;
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={order}>
      <ViewLink to={(now) => ({ ...now, sort, page: 1 })} class="sort">
        {text}
        {order === 'ascending' ? ' ▲' : order === 'descending' ? ' ▼' : ''}
      </ViewLink>
      {small}
    </th>
  );
}

function orderOf({ sort }: ExploreView, key: string): 'none' | 'ascending' | 'descending' {
  const [first = ''] = sort.split(',');
  return first === key ? 'ascending' : first === `-${key}` ? 'descending' : 'none';
}

/** A dialog that selects the columns. Requires script. */
function ColumnChoice() {
  const { base, view, go, isLive } = useExplore();
  const dialog = useRef<HTMLDialogElement>(null);
  const text = `Columns (${view.columns.length} of ${columns.length})`;
  const groups = [
    ['Categories', columns.filter((column) => !isFeature(column))],
    ['Quantities', columns.filter((column) => isFeature(column))],
  ] as const;
  const form = (
    <form
      action={`${base}/explore`}
      method="get"
      class="column-choice"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = new FormData(event.currentTarget).getAll('column');
        const shownColumns = columns.filter((column) => chosen.includes(column));
        dialog.current?.close();
        go((now) => ({ ...now, columns: shownColumns.length === 0 ? defaultColumns : shownColumns }));
      }}
    >
      <HiddenFields view={view} except={['columns']} />
      <h2 id="columns-title">Select columns</h2>
      <div class="bar top-aligned">
        {groups.map(([name, group]) => (
          <fieldset key={name}>
            <legend>{name}</legend>
            {group.map((column) => (
              <label key={column}>
                <input type="checkbox" name="column" value={column} checked={view.columns.includes(column)} />{' '}
                {keyName(column)}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      <p class="bar">
        <button class="button primary" type="submit">
          Show these columns
        </button>
        <Button onClick={() => dialog.current?.close()}>Cancel</Button>
      </p>
    </form>
  );
  if (!isLive) return null;
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>{text}</Button>
      <dialog ref={dialog} aria-labelledby="columns-title">
        {form}
      </dialog>
    </>
  );
}
