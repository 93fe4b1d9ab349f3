import { paperDoi } from '@esd/api/paper';
import { LATEST } from '@esd/api/release-name';
import { papersQuestion } from '@esd/dataset-client/explore-one';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Filter } from '@esd/record/filter/filter';
import { citationMetadata } from '@esd/record/metadata/metadata-formats';
import { type CitedPaper, summarizePaper } from '@esd/record/papers/paper';
import { z } from 'zod';
import { parseJson } from '../../../dataset/parse-json.ts';
import type { KnownRelease } from '../../../dataset/releases.ts';
import { readFilter } from '../../../http/query.ts';
import {
  filter,
  version,
  jsonText,
  exploreQuery,
  namedStateOf,
  type ToolParts,
  firstItems,
  common,
} from '../tool-parts.ts';
import { tool, type ToolContext } from '../tool.ts';

const MAX_PAPERS = 200;
const STYLES = ['text', 'bibtex', 'ris', 'csl-json'] as const;

export const cite = ({ analyses, descriptions, states, upstream, releaseNamed, commonOf }: ToolParts) =>
  tool({
    name: 'cite',
    title: 'Cite the dataset',
    description:
      'The citation of a release, of the latest dataset, or of the records that match a filter, and the papers to cite with it.',
    input: z.strictObject({ version, filter, style: z.enum(STYLES).default('text') }),
    output: z.strictObject({
      text: z.string(),
      style: z.enum(STYLES),
      papers: z.array(
        z.strictObject({
          doi: paperDoi,
          title: z.string().optional(),
          authors: z.string().optional(),
          year: z.int().optional(),
          journal: z.string().optional(),
        }),
      ),
      permanentQueryUrl: z.string().nullable().meta({
        description: 'The URL of the stored query with the same filter and records; null if none is stored.',
      }),
      ...firstItems,
      ...common,
    }),
    run: async ({ version: name, filter: conditions = {}, style }, context) => {
      const { exchange, call } = context;
      const conditionsList = readFilter(jsonText(conditions));
      const of = await releaseNamed(name, context);
      const id =
        conditionsList.length === 0 ? undefined : await findQuery({ states, upstream }, conditionsList, of, context);
      const question = papersQuestion({ limit: MAX_PAPERS, citations: true });
      const asked = { question, filter: conditionsList, once: true, named: namedStateOf(of) };
      const { state, body } = await analyses.find(asked, exchange, call);
      const { data, total } = parseJson<{ data: CitedPaper[]; total: number }>(body);
      const cited =
        id === undefined ? descriptions.ofDataset(of?.identifier ?? LATEST, call) : descriptions.ofQuery(id, call);
      const page =
        id !== undefined
          ? `/query/${id}`
          : conditionsList.length === 0
            ? `/release/${encodeURIComponent(of?.identifier ?? LATEST)}`
            : `/explore${exploreQuery({ filter: conditions, version: of?.identifier })}`;
      const caveats = [
        ...(of || id !== undefined
          ? []
          : ['The latest dataset changes with each approval. Cite a release if you can.']),
        ...(id === undefined && conditionsList.length > 0
          ? ['The citation is that of the whole dataset. POST /public/queries stores the filter under its own URL.']
          : []),
        ...(total > data.length ? [`The list has the first ${data.length} of ${total} papers.`] : []),
      ];
      return {
        text: citationMetadata(await cited, style).text,
        style,
        papers: data.map(summarizePaper),
        permanentQueryUrl: id === undefined ? null : `${exchange.publicRoot}/public/queries/${id}`,
        ...{ returned: data.length, hasMore: data.length < total, next: null },
        ...(await commonOf({ of, state, page, caveats }, context)),
      };
    },
  });

async function findQuery(
  { states, upstream }: Pick<ToolParts, 'states' | 'upstream'>,
  conditions: Filter,
  of: KnownRelease | undefined,
  { call }: ToolContext,
): Promise<string | undefined> {
  const query = { filter: filterToWire(conditions), version: of?.identifier, atLeast: states.latest() };
  return (await upstream.queries.findQuery(query, call)).id;
}
