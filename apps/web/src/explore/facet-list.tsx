import { useState } from 'preact/hooks';
import type { Facet } from '@esd/pages/explore-data';
import { chosenValues, needsAllSolvents, toggled, withValues } from '@esd/pages/explore-view';
import { type CategoryKey, isSystemKey } from '@esd/record/filter/filter-keys';
import { numberText } from '../format.ts';
import { keyName, valueText } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { PaperWords, sourceText } from '../parts/paper-link.tsx';
import { Switch, ViewLink } from './links.tsx';
import { useExplore } from './state.ts';

const SHOWN = 6;
const MANY = 20;
const ANY_OR_ALL = [
  [false, 'any'],
  [true, 'all'],
] as const;

export function FacetList({ name, facet }: { name: CategoryKey; facet: Facet | undefined }) {
  const { view, isLive } = useExplore();
  const known = useKnownNames();
  const { paperOf, substanceOf } = known;
  const [wanted, setWanted] = useState('');
  const chosen = chosenValues(view, name);
  const isSubstance = name === 'polymer' || name === 'solvent';
  const nameOf = (value: string): string =>
    isSubstance ? substanceOf(name, value).name : isSystemKey(name) ? valueText(name, value, known) : value;
  const counted = facet?.values ?? [];
  const values = [
    ...counted,
    ...chosen.filter((value) => !counted.some((line) => line.value === value)).map((value) => ({ value, count: 0 })),
  ];
  const title = name === 'solvent' ? 'Contains solvent' : keyName(name);
  const textOf = (value: string): string => {
    if (isSubstance || isSystemKey(name)) return `${nameOf(value)} ${value}`;
    if (name !== 'doi') return value;
    const { title: ofPaper = '', ...facts } = paperOf(value);
    return `${value} ${ofPaper} ${sourceText(facts)}`;
  };
  const matching =
    wanted === '' ? values : values.filter(({ value }) => textOf(value).toLowerCase().includes(wanted.toLowerCase()));
  const first = matching.filter(({ value }, at) => at < SHOWN || chosen.includes(value));
  const more = matching.filter((line) => !first.includes(line));
  const row = ({ value, count }: { value: string; count: number }) => {
    const isChosen = chosen.includes(value);
    return (
      <li key={value}>
        <ViewLink to={(now) => toggled(now, name, value)} current={isChosen ? 'true' : undefined}>
          <span>
            {name === 'doi' ? (
              <PaperWords doi={value} />
            ) : isSubstance || isSystemKey(name) ? (
              <span title={value}>{nameOf(value)}</span>
            ) : (
              value
            )}
            {isChosen && ' ✓'}
          </span>
          <span>{numberText(count)}</span>
        </ViewLink>
      </li>
    );
  };
  const unlisted = (facet?.distinct ?? 0) - counted.length;
  return (
    <section class="facet" aria-labelledby={`facet-${name}`}>
      <h3 id={`facet-${name}`}>{title}</h3>
      {isLive && values.length > MANY && (
        <input
          type="search"
          aria-label={`Search the list: ${title.toLowerCase()}`}
          placeholder="Search the list"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      {name === 'solvent' && chosen.length > 1 && (
        <Switch
          label="Records contain"
          value={needsAllSolvents(view)}
          options={ANY_OR_ALL}
          to={(now, isAll) => withValues(now, name, chosenValues(now, name), isAll)}
        />
      )}
      <ul>{first.map(row)}</ul>
      {wanted !== '' && matching.length === 0 && <p class="small">Nothing contains “{wanted}”.</p>}
      {more.length > 0 && (
        <details>
          <summary>
            <span class="when-closed">Show {numberText(more.length)} more</span>
            <span class="when-open">Show fewer</span>
          </summary>
          <ul>{more.map(row)}</ul>
          {unlisted > 0 && <p class="muted">{numberText(unlisted)} more with fewer experiments</p>}
        </details>
      )}
      {facet !== undefined && facet.missing > 0 && (
        <p class="missing">
          <span>not reported</span>
          <span>{numberText(facet.missing)}</span>
        </p>
      )}
    </section>
  );
}
