import { useState } from 'preact/hooks';
import type { Facet } from '@esd/pages/explore-data';
import { chosenValues, toggled } from '@esd/pages/explore-view';
import type { CategoryKey } from '@esd/record/filter/filter-keys';
import { numberText } from '../format.ts';
import { keyName } from '../names.ts';
import { useKnownNames } from '../parts/known-names.tsx';
import { PaperWords, sourceText } from '../parts/paper-link.tsx';
import { ViewLink } from './links.tsx';
import { useExplore } from './state.ts';

const SHOWN = 6;
const MANY = 20;

/** A line of a facet: a value with the other names that count with it. */
interface Line {
  readonly value: string;
  readonly names: readonly string[];
  readonly count: number;
}

export function FacetList({ name, facet }: { name: CategoryKey; facet: Facet | undefined }) {
  const { view, isLive } = useExplore();
  const { paperOf, substanceOf } = useKnownNames();
  const [wanted, setWanted] = useState('');
  const chosen = chosenValues(view, name);
  const counted = (facet?.values ?? []).map(({ value, others = [], count }): Line => ({
    value,
    names: [value, ...others],
    count,
  }));
  const values = [
    ...counted,
    ...chosen
      .filter((value) => !counted.some(({ names }) => names.includes(value)))
      .map((value): Line => ({ value, names: [value], count: 0 })),
  ];
  const title = keyName(name);
  const isSubstance = name === 'polymer' || name === 'solvent';
  const textOf = ({ value, names }: Line): string => {
    if (isSubstance) return `${substanceOf(name, value).name} ${names.join(' ')}`;
    if (name !== 'doi') return value;
    const { title: ofPaper = '', ...facts } = paperOf(value);
    return `${value} ${ofPaper} ${sourceText(facts)}`;
  };
  const matching =
    wanted === '' ? values : values.filter((line) => textOf(line).toLowerCase().includes(wanted.toLowerCase()));
  const isSelected = ({ names }: Line): boolean => names.some((name) => chosen.includes(name));
  const first = matching.filter((line, at) => at < SHOWN || isSelected(line));
  const more = matching.filter((line) => !first.includes(line));
  const row = (line: Line) => {
    const { value, names, count } = line;
    const isChosen = isSelected(line);
    return (
      <li key={value}>
        <ViewLink to={(now) => toggled(now, name, ...names)} current={isChosen ? 'true' : undefined}>
          <span>
            {name === 'doi' ? (
              <PaperWords doi={value} />
            ) : isSubstance ? (
              <span title={names.join(', ')}>{substanceOf(name, value).name}</span>
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
