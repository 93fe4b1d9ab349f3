import type { DescribedKey } from '@esd/pages/page';
import type { DataDictionaryPage, Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText, numberText, rangeText, rounded } from '../format.ts';
import { withUnit } from '../names.ts';
import { CodeText } from '../parts/code-text.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';

const GROUPS: Readonly<Record<DescribedKey['group'], string>> = {
  solution: 'Solution',
  process: 'Process',
  ambient: 'Ambient conditions',
  fiber: 'Fibers',
  properties: 'Properties of the fibers',
  paper: 'Paper',
};

/** `/data-dictionary`: the meaning, unit, and values of each feature and category. */
export function DataDictionary({ page: { total, features }, frame }: { page: DataDictionaryPage; frame: Frame }) {
  const { base } = frame;
  const groups = Map.groupBy(features, ({ group }) => group);
  return (
    <Document
      frame={frame}
      title="Data dictionary"
      summary={`The ${features.length} features and categories of the dataset: meaning, unit, column in files, and number of experiments that report a value.`}
    >
      <div class="wrap sections dictionary">
        <h1>Data dictionary</h1>
        <p class="lede">
          This page says what each value of the dataset means, how it was converted, and how many of the{' '}
          {countText(total, 'experiment')} report it.
        </p>
        <p class="prose">
          A <b>setting</b> is known before the run. A <b>result</b> is known only after it. Failed runs often report no
          results, so a filter by a result leaves them out. Values that cannot be converted to the unit of the filter
          remain in the records, but filters and statistics do not use them.
        </p>
        <p class="small">
          <a href={`${base}/metadata/features`}>This page as JSON</a> ·{' '}
          <a href={`${base}/docs`}>API, with all fields of a record</a>
        </p>
        {[...groups].map(([group, keys]) => (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{GROUPS[group]}</h2>
            <ScrollTable
              labelledBy={`group-${group}`}
              heads={[
                'Name',
                'Meaning',
                'Kind',
                'Unit',
                'Column in files',
                { number: 'Experiments', small: `of ${numberText(total)}` },
                'Values',
              ]}
            >
              {keys.map((key) => (
                <Row key={key.key} described={key} />
              ))}
            </ScrollTable>
          </section>
        ))}
      </div>
    </Document>
  );
}

function Row({ described }: { described: DescribedKey }) {
  const { key, label, description, kind, type, unit, column, count, notConvertible } = described;
  return (
    <tr id={key}>
      <th scope="row">
        {label}
        <br />
        <code>{key}</code>
      </th>
      <td class="prose">
        <CodeText text={description} />
      </td>
      <td data-label="Kind">{kind}</td>
      <td class="nowrap" data-label="Unit">
        {type === 'category' ? 'category' : unit === '1' ? 'none' : unit}
      </td>
      <td data-label="Column in files">{column === null ? <span class="muted">none</span> : <code>{column}</code>}</td>
      <td class="number" data-label="Experiments">
        {numberText(count)}
        {(notConvertible ?? 0) > 0 && <small> and {numberText(notConvertible ?? 0)} not convertible</small>}
      </td>
      <td class="nowrap" data-label="Values">
        {valuesText(described) ?? <span class="muted">not reported</span>}
      </td>
    </tr>
  );
}

function valuesText({ range, distinct, unit }: DescribedKey): string | undefined {
  if (range) return withUnit(rangeText(rounded(range.min), rounded(range.max)), unit ?? '1');
  return distinct === null || distinct === 0 ? undefined : countText(distinct, 'value');
}
