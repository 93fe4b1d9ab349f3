import { LATEST, wildcardText } from '@esd/api/release-name';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import { papersQuestion } from '@esd/dataset-client/explore-one';
import type { PaperEntry, Papers, ShownRecord } from '@esd/pages/explore-data';
import type { Renderer } from '@esd/pages/page';
import type { Filter } from '@esd/record/filter/filter';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { doiTerm } from '@esd/record/filter/text-terms';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { z } from 'zod';
import type { HtmlPages } from '../../cache/html-pages.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { Route } from '../../http/route.ts';
import { readKnown } from '../../metadata/read-known.ts';
import { readFigure } from '../../pages/diameter-figure.ts';
import { type PageAnswer, pageRoute } from '../../pages/page-route.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const MAX_RECORDS = 200;
const FIELDS = [
  'polymerProperty.polymerComponents.polymerName',
  'solventProperty.solventComponents.solventName',
  'fiberProperty.isFormationStable',
];

/** Serves the page of a paper of the latest dataset; as JSON, its item in the list of papers. */
export function paperPageRoutes(
  renderer: Renderer,
  htmlCache: HtmlPages,
  states: DatasetStates,
  { dataset }: Pick<Upstream, 'dataset'>,
): Route[] {
  return [
    pageRoute(renderer, {
      path: '/paper/*doi',
      parameters: z.object({ doi: wildcardText }),
      cache: htmlCache,
      open: ({ parameters, call }) => {
        const doi = doiTerm(parameters.doi);
        const show = async (): Promise<PageAnswer> => {
          const filter: Filter = [{ kind: 'values', key: 'doi', values: [doi] }];
          const { state, total, answersJson, recordsJson, ...others } = await dataset.explore(
            {
              version: LATEST,
              revision: undefined,
              atLeast: states.latest(),
              filter: filterToWire(filter),
              questions: [{ question: papersQuestion({ limit: 1, design: true }) }],
              records: { skip: 0, limit: MAX_RECORDS, sort: [], fields: FIELDS },
              recordIds: [],
              once: true,
              names: true,
            },
            call,
          );
          const [paper] = parseJson<Papers>(answersJson[0] ?? new Uint8Array()).data;
          if (!paper) {
            throw new ServiceError('ENTRY_NOT_FOUND', `No public record names the paper ${describe(doi)}.`);
          }
          const of = { filter, revision: state?.revision, atLeast: states.latest() };
          return {
            page: {
              kind: 'paper',
              paper,
              records: parseJson<ShownRecord[]>(recordsJson),
              total,
              figure: await readFigure(dataset, of, variedMost(paper), call),
              known: readKnown(others),
            },
            path: `/paper/${encodeURIComponent(doi)}`,
            json: () => JSON.stringify(paper),
          };
        };
        return { address: `/paper/${doi}`, show };
      },
    }),
  ];
}

/** Returns the number with the most values in the design; none if the design has no number. */
function variedMost({ design = [] }: PaperEntry): Feature[] {
  const numbers = design.flatMap(({ key, distinct }) => {
    const known = features.find(({ feature }) => feature === key);
    return known ? [{ feature: known.feature, distinct }] : [];
  });
  const most = Math.max(...numbers.map(({ distinct }) => distinct));
  return numbers.flatMap(({ feature, distinct }) => (distinct === most ? [feature] : [])).slice(0, 1);
}
