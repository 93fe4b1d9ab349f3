import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { ExploreData, ExploreResponse } from '@esd/pages/explore-data';
import {
  DEPENDENCIES,
  type ExplorePage,
  initiallyOpen,
  mapPart,
  type Part,
  partsOf,
  plainParts,
} from '@esd/pages/explore-page';
import { type ExploreView, readView, viewQuery } from '@esd/pages/explore-view';
import { type Frame, WEB_BUILD } from '@esd/pages/page';
import type { Feature } from '@esd/record/filter/filter-keys';
import { isObject } from '@esd/record/validate/is-object';
import { request, RequestError } from '../client/request.ts';
import { storedTexts, storeText } from '../client/stored-text.ts';
import type { ChosenUnits } from '../names.ts';
import { isLoaded, loadTab } from './tab-views.ts';

/** A change of the requested view, not of the displayed one: two quick steps both take effect. */
export type Step = (view: ExploreView) => ExploreView;

export interface Navigation {
  /** The kind of step. If the last step was of the same kind, this one replaces its history entry. */
  readonly sameStep?: string;
}

export interface Explore {
  readonly base: string;
  readonly page: ExplorePage;
  /** In the filters, the requested view. In the results, the displayed view. */
  readonly view: ExploreView;
  readonly data: ExploreData;
  readonly ignored: readonly string[];
  /** Whether script runs. The server renders links and forms that work without it. */
  readonly isLive: boolean;
  /** Whether the window is narrow; false before script runs. */
  readonly isNarrow: boolean;
  /** The duration of the current request: 0 none or under 150 ms, 1 over 150 ms, 2 over 1 s, 3 over 10 s. */
  readonly waiting: ReadonlySignal<0 | 1 | 2 | 3>;
  readonly problem: { readonly message: string; readonly requestId: string | undefined } | undefined;
  readonly units: ChosenUnits;
  href(view: ExploreView): string;
  go(step: Step, how?: Navigation): void;
  stop(): void;
  /** Repeats a failed or canceled request. */
  again(): void;
  /** Requests the histogram of a collapsed filter. */
  open(feature: Feature): void;
  setUnit(feature: Feature, unit: string): void;
}

const context = createContext<Explore | undefined>(undefined);
export const ExploreContext = context.Provider;

export function useExplore(): Explore {
  const explore = useContext(context);
  if (!explore) throw new Error('useExplore must be called inside ExploreContext.');
  return explore;
}

const UNITS = 'esd-units';
const DIM_MS = 150;
const SLOW_MS = 1_000;
const VERY_SLOW_MS = 10_000;

type Shown = Pick<ExplorePage, 'view' | 'data' | 'ignored' | 'build'>;

/** Manages the navigation between views: updates the URL, requests the missing parts, and tracks how long a request takes. */
export function exploration(page: Shown, base: string) {
  const view = signal(page.view);
  const shown = signal(page);
  const waiting = signal<0 | 1 | 2 | 3>(0);
  const problem = signal<Explore['problem']>(undefined);
  const opened: Feature[] = [...initiallyOpen];
  const dirty = new Set<Part>();
  let lastStep = '';
  const isNarrow = signal(false);
  let running: AbortController | undefined;

  const href = (target: ExploreView): string => `${base}/explore${viewQuery(target)}`;

  async function load(parts: readonly Part[], isQuiet = false): Promise<void> {
    running?.abort();
    for (const part of parts) dirty.add(part);
    problem.value = undefined;
    const { value: next } = view;
    if (dirty.size === 0 && isLoaded(next.tab)) {
      waiting.value = 0;
      shown.value = { ...shown.value, view: next };
      return;
    }
    const abort = new AbortController();
    running = abort;
    // The second call retries a failed import after the service has responded.
    const loading = loadTab(next.tab).catch(() => undefined);
    const stages = [
      [1, DIM_MS],
      [2, SLOW_MS],
      [3, VERY_SLOW_MS],
    ] as const;
    const timers = isQuiet ? [] : stages.map(([stage, after]) => setTimeout(() => (waiting.value = stage), after));
    try {
      const response = dirty.size === 0 ? undefined : await requestParts(base, next, [...dirty], abort.signal);
      await loading;
      await loadTab(next.tab);
      if (abort.signal.aborted) return;
      let { data, ignored } = shown.value;
      if (response) {
        const { ignored: ignoredParameters, build, ...responseData } = response;
        if (build !== null && build !== page.build) {
          // The scripts of this page cannot read the data of another build. A map for a phone can wait for the next step.
          if (!isQuiet) location.reload();
          return;
        }
        data = merged(data, responseData, dirty);
        ignored = ignoredParameters;
      }
      dirty.clear();
      shown.value = { ...shown.value, view: next, data, ignored };
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof RequestError)) throw error;
      if (!isQuiet) problem.value = { message: error.message, requestId: error.requestId };
    } finally {
      for (const timer of timers) clearTimeout(timer);
      if (running === abort) waiting.value = 0;
    }
  }

  function show(next: ExploreView): void {
    const parts = neededParts(view.value, next, shown.value.data, { opened, isNarrow: isNarrow.value });
    view.value = next;
    void load(parts);
  }

  return {
    view,
    shown,
    waiting,
    problem,
    isNarrow,
    href,
    go: (step: Step, { sameStep = '' }: Navigation = {}): void => {
      const next = step(view.value);
      const address = href(next);
      if (viewQuery(next) === viewQuery(view.value)) return;
      if (sameStep !== '' && sameStep === lastStep) history.replaceState(null, '', address);
      else if (address !== `${location.pathname}${location.search}`) history.pushState(null, '', address);
      lastStep = sameStep;
      show(next);
    },
    restoreFromUrl: (): void => {
      lastStep = '';
      show(readView(new URLSearchParams(location.search)).view);
    },
    stop: (): void => {
      running?.abort();
      waiting.value = 0;
      problem.value = { message: 'Canceled. Showing previous results.', requestId: undefined };
    },
    again: (): void => void load([]),
    /** Requests the map of a window of another width, and shows the previous one until then. */
    fit: (narrow: boolean): void => {
      if (narrow === isNarrow.value) return;
      isNarrow.value = narrow;
      if (shown.value.data.grid) void load([mapPart(narrow)], true);
    },
    open: (feature: Feature): void => {
      if (opened.includes(feature)) return;
      opened.push(feature);
      void load([`histogram.${feature}`]);
    },
  };
}

/** Returns the state of the page. `choices` reflects a selection immediately, `results` only after the response. */
export function useExploreState(page: ExplorePage, { base }: Frame): { choices: Explore; results: Explore } {
  const [moves] = useState(() => exploration(page, base));
  const [units, setUnits] = useState<ChosenUnits>({});
  const [isLive, setLive] = useState(false);
  const { value: view } = moves.view;
  const { value: shown } = moves.shown;
  const { value: problem } = moves.problem;
  const { value: isNarrow } = moves.isNarrow;

  useEffect(() => {
    setLive(true);
    setUnits(storedTexts(UNITS));
    addEventListener('popstate', moves.restoreFromUrl);
    const narrow = matchMedia('(max-width: 767px)');
    const fit = (): void => moves.fit(narrow.matches);
    fit();
    narrow.addEventListener('change', fit);
    return () => {
      removeEventListener('popstate', moves.restoreFromUrl);
      narrow.removeEventListener('change', fit);
    };
  }, [moves]);

  const results = useMemo<Explore>(
    () => ({
      ...moves,
      base,
      page,
      ...shown,
      isLive,
      isNarrow,
      problem,
      units,
      setUnit: (feature, unit) => {
        const chosen = { ...units, [feature]: unit };
        setUnits(chosen);
        storeText(UNITS, JSON.stringify(chosen));
      },
    }),
    [moves, base, page, shown, isLive, isNarrow, problem, units],
  );
  const choices = useMemo(() => ({ ...results, view }), [results, view]);
  return { choices, results };
}

/** Replaces the requested parts, including those that are missing from the answer. */
function merged(before: ExploreData, answer: ExploreData, requested: ReadonlySet<Part>): ExploreData {
  const isWhole = requested.has('facets');
  const remaining: Partial<ExploreData> = isWhole
    ? {}
    : { ...before, ...(requested.has('nearest') ? { nearest: undefined } : {}) };
  const histograms = { ...(isWhole ? {} : before.histograms), ...answer.histograms };
  const knownPapers = [...(remaining.knownPapers ?? []), ...(answer.knownPapers ?? [])];
  return {
    ...remaining,
    ...answer,
    histograms,
    knownPapers,
    without: answer.without ?? (isWhole ? undefined : before.without),
  };
}

/** Requests parts of a view. Throws RequestError. */
export async function requestParts(
  base: string,
  view: ExploreView,
  parts: readonly Part[],
  signal?: AbortSignal,
): Promise<ExploreResponse & { build: string | null }> {
  const query = new URLSearchParams(viewQuery(view));
  query.set('parts', parts.join());
  const { body, headers } = await request(`${base}/explore?${query.toString()}`, signal ? { signal } : {});
  if (!isObject(body)) throw new RequestError(0, undefined);
  // Safe cast: the gateway writes this type, and `load` reloads the page if another build wrote it.
  return { ...(body as unknown as ExploreResponse), build: headers.get(WEB_BUILD) };
}

/** Returns the parts to request for the next view: those that it shows and that are missing or changed. */
function neededParts(
  before: ExploreView,
  after: ExploreView,
  data: ExploreData,
  page: { opened: readonly Feature[]; isNarrow: boolean },
): readonly Part[] {
  const partsOfView = partsOf(after, page);
  const isSame = (read: (view: ExploreView) => unknown): boolean =>
    JSON.stringify(read(before)) === JSON.stringify(read(after));
  if (!isSame(({ filter, version, repeats }) => [filter, version, repeats])) return partsOfView;
  return partsOfView.filter((part) => {
    const plain = plainParts.find((candidate) => candidate === part);
    // Histograms depend only on the filter.
    if (plain === undefined || plain === 'allPapers') return false;
    if (plain === 'nearest' && after.recipe.length === 0) return false;
    return data[plain === 'narrowGrid' ? 'grid' : plain] === undefined || !isSame(DEPENDENCIES[plain]);
  });
}
