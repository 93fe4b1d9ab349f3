import { useEffect, useState } from 'preact/hooks';
import { initiallyOpen } from '@esd/pages/explore-page';
import { type CategoryKey, type Feature, SYSTEM_DASH } from '@esd/record/filter/filter-keys';
import { keyLabels, type KeyKind, orderedKeys } from '@esd/record/metadata/key-labels';
import { countText } from '../format.ts';
import { isFeature } from '../names.ts';
import { chipsOf } from './chips.ts';
import { FacetList } from './facet-list.tsx';
import { RangeFilter } from './range-filter.tsx';
import { useExplore } from './state.ts';
import { WhileWaiting } from './while-waiting.tsx';

/** Categories that are shown even if no record has a value. */
const SHOWN: readonly CategoryKey[] = [
  'polymer',
  'solventSystem',
  'solvent',
  'isFormationStable',
  'collectorType',
  'morphology',
];

/** Results come first: what a run gave is what most people look for. */
const KINDS: readonly (readonly [KeyKind, string])[] = [
  ['result', 'Results'],
  ['setting', 'Settings'],
];

/** The filters: categories with counts, and ranges. On phones they collapse to one line. */
export function Rail() {
  const { base, view, data, isLive, units } = useExplore();
  const [isClosed, setClosed] = useState(false);
  const chosen = chipsOf(view, units).length;
  useEffect(() => {
    // Script collapses the filters, so that they stay visible without script.
    if (matchMedia('(max-width: 767px)').matches) setClosed(true);
  }, []);
  const hasFilter = (...keys: readonly string[]): boolean => view.filter.some(([key]) => keys.includes(key));
  const hasValues = (key: Feature | CategoryKey): boolean => {
    if (isFeature(key)) return (data.statistics?.statistics[key]?.count ?? 0) > 0;
    const values = data.facets?.facets[key]?.values ?? [];
    // Without blends, the polymer systems are the polymers.
    return key === 'polymerSystem' ? values.some(({ value }) => value.includes(SYSTEM_DASH)) : values.length > 0;
  };
  const filters = orderedKeys.filter(
    (key) =>
      hasValues(key) ||
      hasFilter(key, `${key}Min`, `${key}Max`) ||
      (isFeature(key) ? initiallyOpen.includes(key) : SHOWN.includes(key)),
  );
  return (
    <section class="rail" aria-label="Filters">
      <form role="search" action={`${base}/search`} method="get" class="bar">
        <input type="search" name="q" aria-label="Search experiments" placeholder="Name, DOI, or number" />
        <button class="button" type="submit">
          Go
        </button>
      </form>
      <details
        class={isLive ? 'filters live' : 'filters'}
        open={!isClosed}
        onToggle={({ currentTarget }) => setClosed(!currentTarget.open)}
      >
        <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
        <WhileWaiting>
          {KINDS.map(([kind, name]) => (
            <div key={kind} class="kind" role="group" aria-labelledby={`filters-${kind}`}>
              <h2 id={`filters-${kind}`}>{name}</h2>
              {filters
                .filter((key) => keyLabels[key].kind === kind)
                .map((key) =>
                  isFeature(key) ? (
                    <RangeFilter key={key} feature={key} isOpen={initiallyOpen.includes(key)} />
                  ) : (
                    <FacetList key={key} name={key} facet={data.facets?.facets[key]} />
                  ),
                )}
            </div>
          ))}
          <p class="note-small muted">
            The number next to each value shows how many {view.repeats === 'once' && 'distinct '}experiments match if
            you select it. The unit menus change only the display. URLs always use the default units, such as kV, cm,
            and nm.
          </p>
          {isLive && (
            <a class="button primary show-results" href="#results" onClick={() => setClosed(true)}>
              Show {countText(data.total, 'experiment')}
            </a>
          )}
        </WhileWaiting>
      </details>
    </section>
  );
}
