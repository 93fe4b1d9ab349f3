import type { RecordContext, Sibling } from '@esd/pages/record-context';
import { numberText } from '../format.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';

const MAX_COLUMNS = 12;
const MAX_ROWS = 12;
const NOT_STABLE = 'not stable';

interface Props {
  context: RecordContext;
  recordId: number;
  base: string;
}

/** The experiments with the same solution in the same paper: a table of the diameter by voltage and distance. */
export function SameSolution({ context: { sameSolution }, recordId, base }: Props) {
  const { total, records } = sameSolution;
  if (total < 2) return null;
  const voltages = distinct(records.map(({ voltage }) => voltage)).slice(0, MAX_COLUMNS);
  const distances = distinct(records.map(({ tipDist }) => tipDist))
    .toReversed()
    .slice(0, MAX_ROWS);
  const shown = records.filter(({ voltage, tipDist }) => voltages.includes(voltage) && distances.includes(tipDist));
  return (
    <section aria-labelledby="same-solution">
      <h2 id="same-solution">Same solution in this paper</h2>
      <p class="small muted">
        Fiber diameter in nm of {numberText(shown.length)}
        {shown.length < total ? ` of ${numberText(total)}` : ''} experiments with these polymers, solvents, and
        concentration. Columns are voltages, rows are distances. This record is bold. “×2” means two experiments with
        this result.
      </p>
      <ScrollTable labelledBy="same-solution">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-text">Distance</span>
            </th>
            {voltages.map((voltage) => (
              <th key={voltage ?? 'none'} scope="col" class="number">
                {voltage === null ? (
                  'not reported'
                ) : (
                  <>
                    {numberText(voltage)} <small>kV</small>
                  </>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {distances.map((distance) => (
            <tr key={distance ?? 'none'}>
              <th scope="row" class="nowrap">
                {distance === null ? 'not reported' : `${numberText(distance)}\u202fcm`}
              </th>
              {voltages.map((voltage) => (
                <td key={voltage ?? 'none'} class="number">
                  <Cell
                    records={shown.filter((sibling) => sibling.voltage === voltage && sibling.tipDist === distance)}
                    recordId={recordId}
                    base={base}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </section>
  );
}

/** The distinct results of a setting, each with its number of records. */
function Cell({ records, recordId, base }: { records: readonly Sibling[]; recordId: number; base: string }) {
  const results = Map.groupBy(records, resultText);
  return (
    <>
      {[...results].map(([text, same]) => {
        const isOwn = same.some((sibling) => sibling.recordId === recordId);
        const [first] = same;
        return (
          <div key={text} class="nowrap">
            {text === NOT_STABLE && (
              <b class="bad" aria-hidden="true">
                ✕{' '}
              </b>
            )}
            {isOwn ? <b>{text}</b> : <a href={`${base}/record/${first?.recordId ?? recordId}`}>{text}</a>}
            {same.length > 1 && <span class="tiny"> ×{same.length}</span>}
          </div>
        );
      })}
    </>
  );
}

function resultText({ fiberDiameter, isFormationStable }: Sibling): string {
  if (fiberDiameter !== null) return `${numberText(fiberDiameter)}${isFormationStable === false ? ', not stable' : ''}`;
  return isFormationStable === false ? NOT_STABLE : 'not reported';
}

function distinct(values: readonly (number | null)[]): (number | null)[] {
  return [...new Set(values)].toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity));
}
