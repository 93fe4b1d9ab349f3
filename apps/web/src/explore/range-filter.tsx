import { useEffect, useState } from 'preact/hooks';
import { withRange } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';
import { displayUnits, fromDisplay } from '@esd/record/units/display-units';
import { numberText } from '../format.ts';
import { type Bounds, RangeHistogram } from '../plots/range-histogram.tsx';
import { figureText, keyName, shown, unitOf } from '../names.ts';
import { onSubmit } from '../client/events.ts';
import { HiddenFields } from './links.tsx';
import { useExplore } from './state.ts';

/** The filter of a quantity: a histogram to brush, and two number fields for the same range. */
export function RangeFilter({ feature, isOpen }: { feature: Feature; isOpen: boolean }) {
  const { view, data, units, isLive, go, open } = useExplore();
  const [isUnfolded, setUnfolded] = useState(false);
  const name = keyName(feature);
  const unit = unitOf(feature, units);
  const histogram = data.histograms?.[feature];
  const figures = data.statistics?.statistics[feature];
  const bounds = boundsOf(view.filter, feature);
  const isChosen = bounds.min !== undefined || bounds.max !== undefined;
  const label = histogramLabel(name, unit);
  const choose = (range: Bounds, step: string): void => {
    go((now) => withRange(now, feature, range), { sameStep: `${step}.${feature}` });
  };
  const content = (
    <>
      {histogram && histogram.counts.length > 0 && (
        <RangeHistogram
          histogram={histogram}
          label={label}
          chosen={bounds}
          units={units}
          onRange={(range) => choose(range, 'brush')}
        />
      )}
      <RangeFields feature={feature} bounds={bounds} ends={[histogram?.edges[0], histogram?.edges.at(-1)]} />
      {figures && <p class="small muted">{figuresLine()}</p>}
    </>
  );
  if (isOpen) {
    return (
      <section class="range" aria-labelledby={`range-${feature}`}>
        <h3 id={`range-${feature}`}>{name}</h3>
        {content}
      </section>
    );
  }
  return (
    <details
      class="range"
      open={isChosen}
      onToggle={({ currentTarget }) => {
        setUnfolded(currentTarget.open);
        if (currentTarget.open) open(feature);
      }}
    >
      <summary>{name}</summary>
      {(isUnfolded || isChosen || !isLive) && content}
    </details>
  );

  function histogramLabel(quantity: string, unit: string): string {
    const { count = 0, median = null, min = null, max = null } = figures ?? {};
    if (median === null || min === null || max === null) {
      return `${quantity}: no values in this selection`;
    }
    const text = (value: number): string => figureText(shown(feature, value, units));
    return `${quantity}: ${count} experiments from ${text(min)} to ${text(max)} ${unit}, median ${text(median)}`;
  }

  function figuresLine(): string {
    const { median = null, q05 = null, q95 = null, missing = 0, notConvertible = 0 } = figures ?? {};
    const { nonPositive = 0 } = histogram ?? {};
    if (median === null || q05 === null || q95 === null) {
      return 'No values in this selection';
    }
    const text = (value: number): string => figureText(shown(feature, value, units));
    return [
      `median ${text(median)}`,
      `5th–95th percentile ${text(q05)}–${text(q95)}`,
      missing > 0 && `${numberText(missing)} not reported`,
      notConvertible > 0 && `${numberText(notConvertible)} in a unit that cannot be converted`,
      nonPositive > 0 && `${numberText(nonPositive)} at or below 0 not shown (log scale)`,
    ]
      .filter((part) => part !== false)
      .join(', ');
  }
}

function boundsOf(filter: readonly (readonly [string, string])[], feature: Feature): Bounds {
  const bound = (key: string): number | undefined => {
    const text = filter.find(([one]) => one === key)?.[1];
    return text === undefined ? undefined : Number(text);
  };
  return { min: bound(`${feature}Min`), max: bound(`${feature}Max`) };
}

interface FieldsProps {
  feature: Feature;
  bounds: Bounds;
  ends: readonly [number | undefined, number | undefined];
}

function RangeFields({ feature, bounds, ends }: FieldsProps) {
  const { base, view, units, go, setUnit } = useExplore();
  const unit = unitOf(feature, units);
  const textOf = (value: number | undefined): string =>
    value === undefined ? '' : String(Number(shown(feature, value, units).toPrecision(6)));
  const [min, max] = [textOf(bounds.min), textOf(bounds.max)];
  const [from, setFrom] = useState(min);
  const [to, setTo] = useState(max);
  const [error, setError] = useState<string | undefined>(undefined);
  // One effect for each field, so that an update of one does not discard text typed into the other.
  useEffect(() => {
    setFrom(min);
    setError(undefined);
  }, [min, unit]);
  useEffect(() => {
    setTo(max);
    setError(undefined);
  }, [max, unit]);
  const name = keyName(feature);
  const commit = (low: string, high: string): void => {
    const read = (text: string): number | undefined =>
      text.trim() === '' ? undefined : fromDisplay(feature, Number(text.trim()), unit);
    const [min, max] = [read(low), read(high)];
    if (Number.isNaN(min) || Number.isNaN(max)) setError('Enter a number');
    else if (min !== undefined && max !== undefined && min > max)
      setError('The lower bound must not exceed the upper bound');
    else {
      setError(undefined);
      if (min !== bounds.min || max !== bounds.max) go((now) => withRange(now, feature, { min, max }));
    }
  };
  const errorId = `error-${feature}`;
  const field = (which: 'from' | 'to', value: string, set: (text: string) => void, end: number | undefined) => (
    <input
      name={`${feature}${which === 'from' ? 'Min' : 'Max'}`}
      inputMode="decimal"
      autocomplete="off"
      aria-label={`${name}, ${which}`}
      aria-invalid={error === undefined ? undefined : 'true'}
      aria-describedby={error === undefined ? undefined : errorId}
      placeholder={end === undefined ? '' : figureText(shown(feature, end, units))}
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value)}
      onChange={({ currentTarget }) => {
        if (which === 'from') commit(currentTarget.value, to);
        else commit(from, currentTarget.value);
      }}
    />
  );
  const choices = displayUnits(feature);
  return (
    <form class="range-fields" action={`${base}/explore`} method="get" onSubmit={onSubmit(() => commit(from, to))}>
      <HiddenFields view={view} except={[`${feature}Min`, `${feature}Max`]} />
      {field('from', from, setFrom, ends[0])}
      <span>–</span>
      {field('to', to, setTo, ends[1])}
      {choices.length > 1 ? (
        <select
          class="needs-script"
          aria-label={`Unit of ${name.toLowerCase()}`}
          onChange={({ currentTarget }) => setUnit(feature, currentTarget.value)}
        >
          {choices.map(({ unit: one }) => (
            <option key={one} value={one} selected={one === unit}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <span>{unit}</span>
      )}
      {choices.length > 1 && <span class="without-script">{unit}</span>}
      <button class="button without-script" type="submit">
        Apply
      </button>
      {error !== undefined && (
        <p class="error" id={errorId}>
          {error}
        </p>
      )}
    </form>
  );
}
