import type { ResponseAt } from '@esd/api/operations';
import { LATEST } from '@esd/api/release-name';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { papersQuestion, type Question } from '@esd/dataset-client/explore-one';
import type { Papers, Summary } from '@esd/pages/explore-data';
import type { AboutPage, Renderer, Retention } from '@esd/pages/page';
import type { Filter } from '@esd/record/filter/filter';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import type { Descriptions } from '../../metadata/descriptions.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { polymerFacet } from '../../pages/polymer-facet.ts';
import type { Upstream } from '../../upstream/upstream.ts';

interface Sources {
  states: DatasetStates;
  descriptions: Descriptions;
  upstream: Pick<Upstream, 'dataset' | 'releases' | 'identity' | 'submission' | 'images'>;
  facts: DatasetFacts;
  operator: OperatorFacts;
}

const MAX_POLYMERS = 12;
const MAX_PAPERS = 100;
const UNSTABLE: Filter = [{ kind: 'flag', key: 'isFormationStable', value: false }];

/** Serves the pages about the data and its operator. */
export function aboutPageRoutes(renderer: Renderer, htmlCache: HtmlPages, sources: Sources): Route[] {
  const { facts, operator } = sources;
  return [
    pageRoute(renderer, {
      path: '/about',
      cache: htmlCache,
      show: async ({ call }) => ({ page: await aboutPage(sources, call), path: '/about' }),
    }),
    pageRoute(renderer, {
      path: '/privacy',
      show: async ({ call }) => ({
        page: { kind: 'privacy', facts, operator, retention: await readRetention(sources.upstream, call) },
        path: '/privacy',
      }),
    }),
  ];
}

async function aboutPage(
  { states, descriptions, upstream: { dataset, releases }, facts, operator }: Sources,
  call: Call,
): Promise<AboutPage> {
  const { releases: listed } = await releases.listReleases({}, call);
  const cited = descriptions.ofDataset(listed[0]?.identifier ?? LATEST, call);
  const explore = (filter: Filter, questions: readonly Question[], revision?: number) =>
    dataset.explore(
      {
        version: LATEST,
        revision,
        atLeast: states.latest(),
        filter: filterToWire(filter),
        questions: questions.map((question) => ({ question })),
        records: undefined,
        recordIds: [],
        once: true,
      },
      call,
    );
  const polymers = (limit: number): Question => ({ $case: 'facets', value: { keys: ['polymer'], limit } });
  const all = await explore([], [{ $case: 'summary', value: {} }, polymers(1), { $case: 'keys', value: {} }]);
  const failed = await explore(
    UNSTABLE,
    [polymers(MAX_POLYMERS), papersQuestion({ limit: MAX_PAPERS })],
    all.state?.revision,
  );
  const [ofSummary, ofPolymers, ofKeys] = all.answersJson;
  const [ofUnstable, ofPapers] = failed.answersJson;
  if (!ofSummary || !ofPolymers || !ofKeys || !ofUnstable || !ofPapers)
    throw new Error('dataset-svc left out an answer');
  const { features } = parseJson<ResponseAt<'get', '/metadata/features'>>(ofKeys);
  return {
    kind: 'about',
    facts,
    operator,
    cited: await cited,
    summary: parseJson<Summary>(ofSummary),
    mostFrequentPolymer: polymerFacet(ofPolymers).values[0],
    failures: { polymers: polymerFacet(ofUnstable).values, papers: parseJson<Papers>(ofPapers) },
    unreported: features.filter(({ count, notConvertible }) => count + (notConvertible ?? 0) === 0),
  };
}

/** Reads the periods from the services that store the data, because each service has its own settings. */
async function readRetention({ identity, submission, images }: Sources['upstream'], call: Call): Promise<Retention> {
  const [ofAccounts, ofSubmissions, ofImages] = await Promise.all([
    identity.getRetention({}, call),
    submission.getRetention({}, call),
    images.getRetention({}, call),
  ]);
  return { accounts: ofAccounts, submissions: ofSubmissions, images: ofImages };
}
