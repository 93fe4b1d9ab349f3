import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { ExploreData } from '@esd/pages/explore-data';
import { type ExplorePage, openAtFirst, type Part } from '@esd/pages/explore-page';
import { type ExploreView, readView, viewQuery } from '@esd/pages/explore-view';
import type { Frame } from '@esd/pages/page';
import type { Feature } from '@esd/record/filter/filter-keys';
import { request, RequestError } from '../client/request.ts';
import { storedTexts, storeText } from '../client/stored-text.ts';
import { neededParts } from './needed-parts.ts';
import { isLoaded, loaded, loadTab } from './tab-views.ts';
import type { ChosenUnits } from '../names.ts';

/** A step from whatever view the page is on its way to: two steps that are taken quickly are both taken. */
export type Step = (view: ExploreView) => ExploreView;

/** How the page gets from one view to the next. */
export interface Navigation {
  /** In place of the entry in the history, where the last step was one of the same kind (a name for it). */
  readonly sameStep?: string;
}

/** What the components of `/explore` share. */
export interface Explore {
  readonly base: string;
  readonly page: ExplorePage;
  /** In what chooses: the view that is asked for. In the results: the one that they are of. */
  readonly view: ExploreView;
  readonly data: ExploreData;
  readonly leftOut: readonly string[];
  /** Whether script runs: links are enough without. */
  readonly isLive: boolean;
  /** For how long an answer is awaited: not at all, shortly, for more than a second, for more than ten. */
  readonly waiting: ReadonlySignal<0 | 1 | 2 | 3>;
  /** What the service refused. */
  readonly problem: { readonly message: string; readonly requestId: string | undefined } | undefined;
  readonly units: ChosenUnits;
  /** The address of a view. */
  href(view: ExploreView): string;
  /** Goes to a view, which has an address. */
  go(step: Step, how?: Navigation): void;
  /** Stops waiting, or asks again. */
  stop(): void;
  again(): void;
  /** Has a histogram made that was closed. */
  open(feature: Feature): void;
  setUnit(feature: Feature, unit: string): void;
}

const context = createContext<Explore | undefined>(undefined);
export const ExploreContext = context.Provider;

export function useExplore(): Explore {
  const explore = useContext(context);
  if (!explore) throw new Error('There is no ExploreContext around this component.');
  return explore;
}

const UNITS = 'esd-units';
const DIM_MS = 150;
const SLOW_MS = 1_000;
const VERY_SLOW_MS = 10_000;

/** The part of the page that the results show. */
type Shown = Pick<ExplorePage, 'view' | 'data' | 'leftOut'>;

/** Moves between views: updates the address, requests the missing parts, and reports how long the answer takes. */
export function exploration(page: Shown, base: string) {
  const view = signal(page.view);
  const shown = signal(page);
  const waiting = signal<0 | 1 | 2 | 3>(0);
  const problem = signal<Explore['problem']>(undefined);
  const opened: Feature[] = [...openAtFirst];
  const dirty = new Set<Part>();
  let lastStep = '';
  let running: AbortController | undefined;

  const href = (one: ExploreView): string => `${base}/explore${viewQuery(one)}`;

  async function load(parts: readonly Part[]): Promise<void> {
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
    // A failure is tried again once the service can be reached.
    const loading = loadTab(next.tab).catch(() => undefined);
    const timers = (
      [
        [1, DIM_MS],
        [2, SLOW_MS],
        [3, VERY_SLOW_MS],
      ] as const
    ).map(([stage, after]) => setTimeout(() => (waiting.value = stage), after));
    try {
      const asked = dirty.size === 0 ? undefined : await requestParts(base, next, [...dirty], abort.signal);
      await loading;
      await loadTab(next.tab);
      if (abort.signal.aborted) return;
      let { data, leftOut } = shown.value;
      if (asked) {
        const { leftOut: found, ...answer } = asked;
        data = merged(data, answer, dirty);
        leftOut = found;
      }
      dirty.clear();
      shown.value = { view: next, data, leftOut };
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof RequestError)) throw error;
      problem.value = { message: error.message, requestId: error.requestId };
    } finally {
      for (const timer of timers) clearTimeout(timer);
      if (running === abort) waiting.value = 0;
    }
  }

  function show(next: ExploreView): void {
    const parts = neededParts(view.value, next, shown.value.data, opened);
    view.value = next;
    void load(parts);
  }

  return {
    view,
    shown,
    waiting,
    problem,
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
    /** Shows the view of the address, after the browser went back or forth. */
    arriveBack: (): void => {
      lastStep = '';
      show(readView(new URLSearchParams(location.search)).view);
    },
    stop: (): void => {
      running?.abort();
      waiting.value = 0;
      problem.value = { message: 'Stopped. What is shown is from before.', requestId: undefined };
    },
    again: (): void => void load([]),
    open: (feature: Feature): void => {
      if (opened.includes(feature)) return;
      opened.push(feature);
      void load([`histogram.${feature}`]);
    },
  };
}

/**
 * The state of the page: what is shown, in the address, and on its way. `choices` is for what shows a choice at once, `results` for what
 * stays as it is until the answer has come.
 */
export function useExploreState(page: ExplorePage, { base }: Frame): { choices: Explore; results: Explore } {
  const [moves] = useState(() => exploration(page, base));
  const [units, setUnits] = useState<ChosenUnits>({});
  const [isLive, setLive] = useState(false);
  const { value: view } = moves.view;
  const { value: shown } = moves.shown;
  const { value: problem } = moves.problem;

  useEffect(() => {
    setLive(true);
    setUnits(storedTexts(UNITS));
    addEventListener('popstate', moves.arriveBack);
    return () => removeEventListener('popstate', moves.arriveBack);
  }, [moves]);

  const results = useMemo<Explore>(
    () => ({
      ...moves,
      base,
      page,
      ...shown,
      isLive,
      problem,
      units,
      setUnit: (feature, unit) => {
        const chosen = { ...units, [feature]: unit };
        setUnits(chosen);
        storeText(UNITS, JSON.stringify(chosen));
      },
    }),
    [moves, base, page, shown, isLive, problem, units],
  );
  const choices = useMemo(() => ({ ...results, view }), [results, view]);
  return { choices, results };
}

/** What was asked for replaces what was there, also where nothing came. */
function merged(before: ExploreData, answer: ExploreData, asked: ReadonlySet<Part>): ExploreData {
  const isWhole = asked.has('facets');
  const kept = isWhole ? {} : { ...before, ...(asked.has('nearest') ? { nearest: undefined } : {}) };
  const histograms = { ...(isWhole ? {} : before.histograms), ...answer.histograms };
  return { ...kept, ...answer, histograms, without: answer.without ?? (isWhole ? undefined : before.without) };
}

/** Requests parts of a view. The schema of the answer is loaded with the first request, not with the page. Throws RequestError. */
export async function requestParts(
  base: string,
  view: ExploreView,
  parts: readonly Part[],
  signal?: AbortSignal,
): Promise<ExploreData & Pick<Shown, 'leftOut'>> {
  const query = new URLSearchParams(viewQuery(view));
  query.set('parts', parts.join());
  const answer = await request(`${base}/explore?${query.toString()}`, signal ? { signal } : {});
  // After the answer, because a browser does not repeat an import that failed while the service was away.
  const { answerOf } = await loaded(import('./answer.ts'));
  return answerOf(answer);
}
