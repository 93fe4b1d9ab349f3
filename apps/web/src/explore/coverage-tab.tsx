import { columns } from '@esd/pages/explore-view';
import { categoryKeys } from '@esd/record/filter/filter-keys';
import { countText, numberText } from '../format.ts';
import { keyName, valueText } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { PaperReference } from '../parts/paper-link.tsx';
import { Choice } from './links.tsx';
import { useExplore } from './state.ts';

const BY = categoryKeys.map((key) => [key, keyName(key)] as const);
const SHARES = [0.2, 0.4, 0.6, 0.8, 1];

export function CoverageTab() {
  const { view, data } = useExplore();
  const names = useKnownNames();
  const { coverage } = data;
  if (!coverage) return null;
  const shownColumns = columns.filter((column) => column !== coverage.by);
  const more = coverage.distinct - coverage.rows.filter(({ value }) => value !== null).length;
  return (
    <section class="part first" aria-labelledby="coverage">
      <div class="bar spread">
        <div>
          <h2 id="coverage">Reported values</h2>
          <p class="small muted">
            Each cell shows how many experiments in its row report the quantity in its column. Values in units that
            cannot be converted are included.
          </p>
        </div>
        <Choice
          text="Rows"
          label="Rows of the coverage table"
          name="coverage"
          value={view.coverage}
          options={BY}
          to={(now, key) => ({ ...now, coverage: key })}
        />
      </div>
      <div class="scroll coverage" tabIndex={0} role="group" aria-labelledby="coverage">
        <table>
          <thead>
            <tr>
              <th scope="col">{keyName(coverage.by)}</th>
              <th scope="col" class="number">
                n
              </th>
              {shownColumns.map((column) => (
                <th scope="col" class="number" key={column}>
                  {keyName(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {coverage.rows.map(({ value, count, filled }) => (
              <tr key={value ?? ''}>
                <th scope="row">
                  {value === null ? (
                    <span class="muted">not reported</span>
                  ) : coverage.by === 'doi' ? (
                    <PaperReference doi={value} />
                  ) : (
                    <span title={value}>{valueText(coverage.by, value, names)}</span>
                  )}
                </th>
                <td class="number">{numberText(count)}</td>
                {shownColumns.map((column) => {
                  const n = filled[column] ?? 0;
                  return (
                    <td
                      class={`number class-cell class-${n === 0 ? 0 : SHARES.filter((share) => n / count >= share).length + 1}`}
                      key={column}
                    >
                      {n === 0 ? '–' : `${numberText(n)} of ${numberText(count)}`}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <p class="note-small muted">
          {countText(more, 'row with fewer experiments is', 'rows with fewer experiments are')} not shown.
        </p>
      )}
    </section>
  );
}
