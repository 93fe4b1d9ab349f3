import { useState } from 'preact/hooks';
import type { Facet } from '@esd/pages/explore-data';
import { chosenValues, toggled } from '@esd/pages/explore-view';
import type { CategoryKey } from '@esd/record/filter/filter-keys';
import { numberText } from '../format.ts';
import { ViewLink } from './links.tsx';
import { categoryName } from '../names.ts';
import { PaperWords, sourceText, useKnownPapers } from '../parts/paper-link.tsx';
import { useExplore } from './state.ts';

const SHOWN = 6;
const MANY = 20;

export function FacetList({ name, facet }: { name: CategoryKey; facet: Facet | undefined }) {
  const { view, isLive } = useExplore();
  const paperOf = useKnownPapers();
  const [wanted, setWanted] = useState('');
  const chosen = chosenValues(view, name);
  const counted = facet?.values ?? [];
  const values = [
    ...counted,
    ...chosen.filter((value) => !counted.some((one) => one.value === value)).map((value) => ({ value, count: 0 })),
  ];
  const title = categoryName(name);
  const textOf = (value: string): string => {
    if (name !== 'doi') return value;
    const { title = '', ...facts } = paperOf(value);
    return `${value} ${title} ${sourceText(facts)}`;
  };
  const isWanted = ({ value }: { value: string }): boolean =>
    textOf(value).toLowerCase().includes(wanted.toLowerCase());
  const found = wanted === '' ? values : values.filter(isWanted);
  const first = found.filter(({ value }, at) => at < SHOWN || chosen.includes(value));
  const more = found.filter((one) => !first.includes(one));
  const row = ({ value, count }: { value: string; count: number }) => {
    const isChosen = chosen.includes(value);
    return (
      <li key={value}>
        <ViewLink to={(now) => toggled(now, name, value)} current={isChosen ? 'true' : undefined}>
          <span>
            {name === 'doi' ? <PaperWords doi={value} /> : value}
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
      {wanted !== '' && found.length === 0 && <p class="small">Nothing contains “{wanted}”.</p>}
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
