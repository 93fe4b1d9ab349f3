import { useEffect, useState } from 'preact/hooks';
import { initiallyOpen } from '@esd/pages/explore-page';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { countText } from '../format.ts';
import { chipsOf } from './chips.ts';
import { FacetList } from './facet-list.tsx';
import { RangeFilter } from './range-filter.tsx';
import { useExplore } from './state.ts';
import { WhileWaiting } from './while-waiting.tsx';

const FACETS = ['polymer', 'solvent', 'isFormationStable', 'collectorType', 'morphology'] as const;
const MORE_FACETS = ['needleType', 'instability', 'fractureBehaviour', 'doi', 'year', 'journal'] as const;
const OTHERS = features.map(({ feature }) => feature).filter((feature) => !initiallyOpen.includes(feature));

/** The filters: categories with counts, and ranges. On phones they collapse to one line. */
export function Rail() {
  const { base, view, data, isLive, units } = useExplore();
  const [isClosed, setClosed] = useState(false);
  const chosen = chipsOf(view, units).length;
  useEffect(() => {
    // Script collapses the filters, so that they stay visible without script.
    if (matchMedia('(max-width: 767px)').matches) setClosed(true);
  }, []);
  const hasRange = (feature: Feature): boolean =>
    view.filter.some(([key]) => key === `${feature}Min` || key === `${feature}Max`);
  const others = OTHERS.filter(
    (feature) => (data.statistics?.statistics[feature]?.count ?? 0) > 0 || hasRange(feature),
  );
  const more = MORE_FACETS.filter(
    (key) => (data.facets?.facets[key]?.distinct ?? 0) > 0 || view.filter.some(([one]) => one === key),
  );
  return (
    <section class="rail" aria-label="Filters">
      <form role="search" action={`${base}/search`} method="get" class="bar">
        <input type="search" name="q" aria-label="Search experiments" placeholder="Name, DOI, or number" />
        <button class="button" type="submit">
          Go
        </button>
      </form>
      <details class="filters" open={!isClosed} onToggle={({ currentTarget }) => setClosed(!currentTarget.open)}>
        <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
        <WhileWaiting>
          {FACETS.map((key) => (
            <FacetList key={key} name={key} facet={data.facets?.facets[key]} />
          ))}
          {initiallyOpen.map((feature) => (
            <RangeFilter key={feature} feature={feature} isOpen />
          ))}
          {others.map((feature) => (
            <RangeFilter key={feature} feature={feature} isOpen={false} />
          ))}
          {more.map((key) => (
            <FacetList key={key} name={key} facet={data.facets?.facets[key]} />
          ))}
          <p class="note-small muted">
            The number next to each value shows how many experiments match if you select it. The unit menus change only
            the display. URLs always use the default units, such as kV, cm, and nm.
          </p>
          {isLive && (
            <a class="button primary show-results" href="#count" onClick={() => setClosed(true)}>
              Show {countText(data.total, 'experiment')}
            </a>
          )}
        </WhileWaiting>
      </details>
    </section>
  );
}
