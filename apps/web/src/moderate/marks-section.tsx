import type { ExperimentData } from '@esd/record/catalog/catalog';
import { numberText, rangeText, rounded } from '../format.ts';
import { materialsOf } from '../materials.ts';
import { lowerText, Strip } from '../plots/strip.tsx';
import { Failure } from '../staff/failure.tsx';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import type { Mark, RecordAnalyses } from './record-analyses.ts';

export function Marks({ record, analyses }: { record: ExperimentData; analyses: RecordAnalyses }) {
  const found = useLoadedValue(JSON.stringify(record), (signal) => analyses.marks(record, signal));
  const { polymers } = materialsOf(record);
  const { marks: lies = [], notComparable = [] } = found.value ?? {};
  if (found.error === undefined && found.value && lies.length + notComparable.length === 0) return null;
  return (
    <section class="section" aria-labelledby="marks" aria-busy={found.isLoading}>
      <h2 id="marks">Values compared with {polymers === '' ? 'the dataset' : `records of ${polymers}`}</h2>
      <Failure error={found.error} again={found.reload} />
      <ul class="marks">
        {lies.map((mark) => (
          <Lies key={mark.name} mark={mark} />
        ))}
      </ul>
      {notComparable.length > 0 && (
        <p class="small muted">Not compared, because the unit cannot be converted: {notComparable.join(', ')}.</p>
      )}
    </section>
  );
}

function Lies({ mark }: { mark: Mark }) {
  const { name, value, unit, edges, count } = mark;
  const [first = 0, last = 0] = [edges[0], edges.at(-1)];
  return (
    <li>
      <p class="row spread small">
        <span>{name}</span>
        <b>{valueText(value, unit)}</b>
      </p>
      <Strip position={mark} />
      <p class="small muted">
        {rangeText(rounded(first), rounded(last))}, n = {numberText(count)}; {standing(mark, first, last)}
      </p>
    </li>
  );
}

function standing({ value, lower, count }: Mark, first: number, last: number): string {
  if (value < first) return 'lower than all';
  if (value > last) return 'higher than all';
  return `higher than ${lowerText({ lower, count })}`;
}

// Converted values have more digits than were measured.
const DIGITS = 4;

function valueText(value: number, unit: string): string {
  const number = numberText(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
  return unit === '%' ? `${number}%` : `${number}\u202f${unit}`;
}
