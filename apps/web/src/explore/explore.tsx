import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ExplorePage } from '@esd/pages/explore-page';
import { defaultView, type Tab } from '@esd/pages/explore-view';
import type { Frame } from '@esd/pages/page';
import { moveFocus } from '../client/move-focus.ts';
import { countText } from '../format.ts';
import { KnownNames } from '../parts/known-names.tsx';
import { chipsOf } from './chips.ts';
import { Head } from './head.tsx';
import { ViewLink } from './links.tsx';
import { ScatterFigure, WindowFigure } from './plots.tsx';
import { Rail } from './rail.tsx';
import { RecordsTable } from './records-table.tsx';
import { ResultBar } from './result-bar.tsx';
import { ExploreContext, useExplore, useExploreState } from './state.ts';
import { StatisticsTable } from './statistics-table.tsx';
import { rareTab } from './tab-views.ts';
import { WhileWaiting } from './while-waiting.tsx';

/** The id of the first heading of each tab. */
const HEADINGS: Readonly<Record<Tab, string>> = {
  overview: 'window',
  table: 'records',
  map: 'window',
  scatter: 'scatter',
  coverage: 'coverage',
  papers: 'papers',
  nearest: 'nearest',
  compare: 'compare',
};

export function Explore({ page, frame }: { page: ExplorePage; frame: Frame }) {
  const { choices, results } = useExploreState(page, frame);
  const { total, knownPapers, knownSubstances } = results.data;
  const knownValues = useMemo(
    () => ({ papers: knownPapers ?? [], substances: knownSubstances ?? [] }),
    [knownPapers, knownSubstances],
  );
  useEffect(() => {
    document.title = `${countText(total, 'experiment')} · Electrospinning Dataset`;
  }, [total]);
  const { tab } = results.view;
  const previousTab = useRef(tab);
  useEffect(() => {
    const heading = HEADINGS[tab];
    // A link to a comparison from another page names its heading.
    if (previousTab.current !== tab || location.hash === `#${heading}`) moveFocus(heading);
    // The rows of the table above which a comparison begins are many screens long.
    if (previousTab.current !== tab && tab === 'compare') document.getElementById(heading)?.scrollIntoView();
    previousTab.current = tab;
  }, [tab]);
  // Preact skips identical elements: a change of the choices alone does not render the results again.
  const shown = useMemo(
    () => (
      <ExploreContext value={results}>
        <Shown />
      </ExploreContext>
    ),
    [results],
  );
  return (
    <KnownNames base={frame.base} known={knownValues}>
      <ExploreContext value={choices}>
        <ResultBar results={results} />
        <div class="explore">
          <Rail />
          <section class="results" id="results" aria-label="Results" tabIndex={-1}>
            <Head shownView={results.view} />
            {shown}
          </section>
        </div>
      </ExploreContext>
    </KnownNames>
  );
}

function Shown() {
  const { view, data } = useExplore();
  const { tab } = view;
  const Rare = rareTab(tab);
  if (data.size === 0) return <p class="part first">No experiments yet. Be the first to contribute.</p>;
  if (data.total === 0 && tab !== 'compare') return <NoMatches />;
  const pair = (
    <div class="pair">
      <WindowFigure isLarge={false} />
      <ScatterFigure isLarge={false} />
    </div>
  );
  return (
    <WhileWaiting>
      {tab === 'overview' && pair}
      {tab === 'map' && <WindowFigure isLarge />}
      {tab === 'scatter' && <ScatterFigure isLarge />}
      {/* oxlint-disable-next-line react/static-components -- loaded once, then the same component at each render */}
      {Rare && <Rare />}
      {(tab === 'overview' || tab === 'table') && <RecordsTable />}
      {tab === 'overview' && <StatisticsTable />}
    </WhileWaiting>
  );
}

/** The message of an empty result, with the number of matches without each condition. */
function NoMatches() {
  const { view, data, units } = useExplore();
  const chips = chipsOf(view, units);
  return (
    <section class="part first" aria-labelledby="nothing">
      <h2 id="nothing">
        {chips.length === 1
          ? 'No experiment matches this filter.'
          : `No experiment matches ${chips.length === 2 ? 'both' : `all ${chips.length}`} filters.`}
      </h2>
      <ul>
        {chips.map(({ key, name, value, without }) => (
          <li key={key}>
            <ViewLink to={without}>
              Without “{name} {value}”
            </ViewLink>
            {data.without?.[key] !== undefined && `: ${countText(data.without[key], 'experiment')}`}
          </li>
        ))}
      </ul>
      {chips.length > 1 && (
        <ViewLink to={(now) => ({ ...now, filter: defaultView.filter, page: 1 })}>Clear all</ViewLink>
      )}
    </section>
  );
}
