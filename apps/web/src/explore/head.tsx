import type { Summary } from '@esd/pages/explore-data';
import { chosenValues, type ExploreView, LATEST, type Tab, tabs, withValues } from '@esd/pages/explore-view';
import { SYSTEM_DASH } from '@esd/record/filter/filter-keys';
import { countText, numberText } from '../format.ts';
import { shareText, valueText } from '../names.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { useKnownNames } from '../parts/known-names.tsx';
import { Popover } from '../parts/popover.tsx';
import { unexplainedText } from '../parts/unexplained-text.ts';
import { noFailureText, triedText } from './evidence.ts';
import { Choice, HiddenFields, ViewLink } from './links.tsx';
import { useExplore } from './state.ts';

const TABS: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  table: 'Table',
  map: 'Map',
  scatter: 'Scatter',
  coverage: 'Coverage',
  papers: 'Papers',
  nearest: 'Nearest',
  compare: 'Compare',
};

/** `shownView` is the view that the data belongs to. */
export function Head({ shownView }: { shownView: ExploreView }) {
  const { view, data, page, ignored, problem, waiting, stop, again, isLive } = useExplore();
  const { total, size, summary } = data;
  const isLatest = view.version === LATEST;
  const versions = [
    [LATEST, 'Latest (may change)'] as const,
    ...[...new Set([...page.releases, ...(isLatest ? [] : [view.version])])].map(
      (name) => [name, `${name} (frozen)`] as const,
    ),
  ];
  const tried = triedText(shownView, data);
  const unexplained = summary && unexplainedText(summary.unexplained, summary.total);
  return (
    <>
      <div class="explore-head">
        <div>
          {tried !== undefined && <p>{tried}</p>}
          {unexplained !== undefined && <p class="small">{unexplained}</p>}
          <p class="small muted">
            {total === size ? 'All experiments in' : `Of ${countText(size, 'record')} in`}{' '}
            {isLatest ? 'the latest dataset' : `release ${view.version}`}
            {summary && <PapersAndStability summary={summary} hasTried={tried !== undefined} />}
          </p>
        </div>
        <div class="bar">
          <Choice
            text="Dataset"
            label="Dataset"
            name="version"
            value={view.version}
            options={versions}
            to={(now, version) => ({ ...now, version, page: 1 })}
          />
          {summary && <Options shownView={shownView} records={summary.repeats.records} />}
        </div>
      </div>
      {ignored.length > 0 && (
        <p class="note warn" role="status">
          {ignored.map((parameter) => `Ignored URL parameter: ${parameter}`).join(' · ')}
        </p>
      )}
      <ProbableSolvents />
      <div role="status" class="small muted status-line">
        {waiting.value === 2 && 'Still counting…'}
        {waiting.value === 3 && (
          <>
            This is taking longer than usual. <LinkButton onClick={stop}>Cancel</LinkButton>
          </>
        )}
        {problem && (
          <span class="error">
            {problem.message} {problem.requestId !== undefined && `Reference ${problem.requestId}. `}
            <LinkButton onClick={again}>Try again</LinkButton>
          </span>
        )}
      </div>
      {!isLive && (
        <p class="small muted without-script">
          Selecting ranges in plots requires JavaScript. Filters, tables, and downloads work without it.
        </p>
      )}
      <nav class="tabs" aria-label="View">
        {tabs.map((tab) => (
          <ViewLink key={tab} to={(now) => ({ ...now, tab, page: 1 })} current={tab === view.tab ? 'page' : undefined}>
            {TABS[tab]}
            {tab === 'compare' && view.compare.length > 0 && ` (${view.compare.length})`}
          </ViewLink>
        ))}
      </nav>
    </>
  );
}

/** Offers the values that probably mean the selected solvents, such as a printing error of a paper. */
function ProbableSolvents() {
  const { view, data } = useExplore();
  const known = useKnownNames();
  const meaningOf = (value: string): string =>
    value
      .split(SYSTEM_DASH)
      .map((name) => known.substanceOf('solvent', name))
      .map(({ name, shortName }) => /; probably (.+)\)$/.exec(name)?.[1] ?? shortName)
      .sort()
      .join();
  const offers = (['solventSystem', 'solvent'] as const).flatMap((key) => {
    const chosen = chosenValues(view, key);
    const meanings = chosen.map(meaningOf);
    return (data.facets?.facets[key]?.values ?? [])
      .filter(({ value }) => !chosen.includes(value) && meanings.includes(meaningOf(value)))
      .map(({ value }) => ({ key, value }));
  });
  if (offers.length === 0) return null;
  return (
    <p class="small">
      Also in the dataset:
      {offers.map(({ key, value }) => (
        <>
          {' '}
          <ViewLink to={(now) => withValues(now, key, [...chosenValues(now, key), value], false)}>
            {valueText(key, value, known)}
          </ViewLink>
        </>
      ))}
    </p>
  );
}

/** The papers and the stability of the tried experiments. With results in the filter, the matching ones alone would mislead. */
function PapersAndStability({ summary, hasTried }: { summary: Summary; hasTried: boolean }) {
  const { papers, tried } = summary;
  const { yes, no } = tried.stable;
  if (tried.total === 0) return null;
  const ofTried = hasTried ? 'of the tried, ' : '';
  return (
    <>
      {` · ${hasTried ? `${numberText(papers)} of ` : ''}${countText(tried.papers, 'paper')}`}
      {yes + no > 0 &&
        (noFailureText(summary) === undefined
          ? ` · ${ofTried}${numberText(yes)} stable (${shareText(yes, yes + no)}), ${numberText(no)} not stable`
          : ` · ${ofTried}${numberText(yes)} stable; no paper reports a failed run`)}
    </>
  );
}

/** The options of the page, if a record repeats another one. */
function Options({ shownView, records }: { shownView: ExploreView; records: number }) {
  const { base, view, go } = useExplore();
  if (records === 0) return null;
  return (
    <Popover id="options" text="Options" title="Options">
      <form class="choice" action={`${base}/explore`} method="get">
        <HiddenFields view={view} except={['repeats']} />
        <label>
          <input
            type="checkbox"
            name="repeats"
            value="all"
            checked={view.repeats === 'all'}
            onChange={({ currentTarget: { checked } }) => go((now) => ({ ...now, repeats: checked ? 'all' : 'once' }))}
          />
          Count repeated records too
        </label>
        <button class="button without-script" type="submit">
          Show
        </button>
      </form>
      <p class="small muted">
        {countText(records, 'record repeats', 'records repeat')} an earlier one of the same paper in every published
        value. {shownView.repeats === 'once' ? 'Counts and medians leave them out' : 'Counts and medians include them'}.
        The table, files, and citations always have all records.
      </p>
    </Popover>
  );
}
