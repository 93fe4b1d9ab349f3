import { type ExploreView, filterOf, LATEST, withFilter } from '@esd/pages/explore-view';
import type { Condition } from '@esd/record/filter/filter';
import { type ChosenUnits, figureText, keyName, shown, unitOf, valueText, withUnit } from '../names.ts';
import type { KnownNames } from '../parts/known-names.tsx';
import type { Step } from './state.ts';

export interface Chip {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly without: Step;
}

/** Returns the conditions of a filter in the order of selection. Both bounds of a range are one chip. Without `known`, values are keys. */
export function chipsOf(view: ExploreView, units: ChosenUnits, known?: KnownNames): readonly Chip[] {
  const conditions = new Map<string, Condition>(view.conditions.map((condition) => [condition.key, condition]));
  const keys = [...new Set(view.filter.map(([key]) => key.replace(/(?:Min|Max)$/, '')))];
  return keys.flatMap((key) => {
    const condition = conditions.get(key);
    if (!condition) return [];
    const without: Step = (now) =>
      withFilter(now, { [key]: undefined, [`${key}Min`]: undefined, [`${key}Max`]: undefined });
    return [{ key, ...wordsOf(condition, units, known), without }];
  });
}

function rangeText(min: number | undefined, max: number | undefined, textOf: (bound: number) => string): string {
  const [low, high] = [min, max].map((bound) => (bound === undefined ? undefined : textOf(bound)));
  if (low === undefined) return `≤ ${high ?? ''}`;
  if (high === undefined) return `≥ ${low}`;
  return low === high ? low : `${low}–${high}`;
}

function wordsOf(
  condition: Condition,
  units: ChosenUnits,
  known: KnownNames | undefined,
): Pick<Chip, 'name' | 'value'> {
  switch (condition.kind) {
    case 'range': {
      const { key, min, max } = condition;
      if (key === 'year') return { name: keyName(key), value: rangeText(min, max, String) };
      const unit = unitOf(key, units);
      const range = rangeText(min, max, (bound) => figureText(shown(key, bound, units)));
      return { name: keyName(key), value: withUnit(range, unit) };
    }
    case 'values':
      return {
        name: keyName(condition.key),
        value: textsOf(condition, known).join(' or ') || 'not reported',
      };
    case 'flag':
      return { name: keyName(condition.key), value: condition.value ? 'yes' : 'no' };
    case 'text':
      return { name: `${keyName(condition.key)} contains`, value: condition.text };
    case 'status':
      return { name: 'Status', value: condition.status };
  }
}

/** Returns the texts of selected values. Names that are `sameAs` another one have its text. */
function textsOf(
  { key, values }: Extract<Condition, { kind: 'values' }>,
  known: KnownNames | undefined,
): readonly string[] {
  if (!known) return values;
  const namesOf = (value: string): readonly string[] => (key === 'solvent' ? value.split(' & ') : [value]);
  const textOf = (value: string): string =>
    namesOf(value)
      .map((name) => valueText(key, name, known))
      .join(' and ');
  return [...new Set(values.map(textOf))];
}

/** Describes a filter in a few words for a citation. */
export function filterWords(view: ExploreView): string {
  return chipsOf(view, {})
    .map(({ key, name, value }) => (key === 'polymer' || key === 'solvent' ? value : `${name.toLowerCase()} ${value}`))
    .join(', ');
}

/** Returns the filter of a view as a parameter of the API. */
export function filterParameter(view: ExploreView): { filter?: string } {
  return view.filter.length === 0 ? {} : { filter: JSON.stringify(filterOf(view)) };
}

/** Returns whether a view shows every record of a release. */
export function isWholeRelease(view: ExploreView): boolean {
  return view.version !== LATEST && view.filter.length === 0;
}
