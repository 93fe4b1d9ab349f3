import { listQueryPapers, papers } from '@esd/api/analyses';
import type { QueryOf } from '@esd/api/operation';
import { LATEST } from '@esd/api/release-name';
import { papersQuestion, type Question } from '@esd/dataset-client/explore-one';
import type { Filter } from '@esd/record/filter/filter';
import { ServiceError } from '@esd/service/errors';
import type { Request, Response } from 'express';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import type { PublicQueries } from '../../dataset/public-queries.ts';
import { BY_RULES, namedState, type NamedState } from '../../dataset/named-state.ts';
import type { Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import { limitBySecondClass } from '../../http/limits/limit-by.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { readFilter } from '../../http/query.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Analyses } from '../../reads/analyses.ts';
import { sendCitationFile } from '../../reads/citation-file.ts';
import type { Upstream } from '../../upstream/upstream.ts';

type PageQuery = Partial<Omit<QueryOf<typeof papers.latest>, 'filter' | 'repeats'>>;

interface Sources {
  answer: Analyses;
  states: DatasetStates;
  releases: Releases;
  queries: PublicQueries;
  upstream: Pick<Upstream, 'dataset'>;
  limits: RateLimits;
}

/** Returns the routes of the papers of the latest dataset, a release, and a public query. */
export function papersRoutes({ answer, states, releases, queries, upstream: { dataset }, limits }: Sources): Route[] {
  const send = async (
    query: PageQuery,
    { filter, once, named }: { filter: Filter; once: boolean; named: NamedState | undefined },
    request: Request,
    response: Response,
    call: Call,
  ): Promise<void> => {
    const { format } = query;
    if (format === undefined) {
      await answer({ question: questionOf(query), filter, once, named }, request, response, call);
      return;
    }
    requireAlone(format, query);
    limitBySecondClass(limits, 'exports', request.exchange);
    const state = named?.state ?? (await states.current(call));
    await sendCitationFile(dataset, { format, filter, state, named }, request, response, call);
  };
  return [
    serve(papers.latest, {
      handle: ({ query: { filter, repeats, ...query }, request, call }, response) =>
        send(
          query,
          { filter: readFilter(filter), once: repeats === 'once', named: undefined },
          request,
          response,
          call,
        ),
    }),
    serve(papers.ofRelease, {
      handle: async (
        { query: { filter, repeats, ...query }, parameters: { version: name }, request, call },
        response,
      ) => {
        const conditions = readFilter(filter);
        const named = name === LATEST ? undefined : namedState(await releases.find(name, call), name, true);
        await send(query, { filter: conditions, once: repeats === 'once', named }, request, response, call);
      },
    }),
    serve(listQueryPapers, {
      handle: async ({ query, parameters: { id }, request, call }, response) => {
        const { state } = await queries.find(id, call);
        const named = { state, version: `query-${id}`, cacheControl: BY_RULES, isPermanent: true, queryId: id };
        await send(query, { filter: [], once: true, named }, request, response, call);
      },
    }),
  ];
}

function questionOf({ sort = '-records', skip = 0, limit = 100, design }: PageQuery): Question {
  const descending = sort.startsWith('-');
  return papersQuestion({ sort: sort.replace('-', ''), descending, skip, limit, design: design === 'true' });
}

/** Throws INVALID_PARAMETER if a parameter of a page is sent with the format of a file. */
function requireAlone(format: string, { sort, skip, limit, design }: PageQuery): void {
  const [other] = Object.entries({ sort, skip, limit, design }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (other === undefined) return;
  const message = `\`${other}\` cannot be combined with \`format=${format}\`, which returns all papers; leave it out.`;
  throw new ServiceError('INVALID_PARAMETER', message);
}
