import { getLlmsTxt } from '@esd/api/service';
import { exploreOne } from '@esd/dataset-client/explore-one';
import type { Summary } from '@esd/pages/explore-data';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';
import { oneLine } from '@esd/record/metadata/description';
import type { Filter } from '@esd/record/filter/filter';
import { type HtmlPages, sendCachedText } from '../../cache/html-pages.ts';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { parseJson } from '../../dataset/parse-json.ts';
import type { Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const TEXT = 'text/plain; charset=utf-8';
/** A condition that each record with a diameter meets; `cannotMatch` then counts the others. */
const WITH_DIAMETER: Filter = [{ kind: 'range', key: 'fiberDiameter', min: -Number.MAX_VALUE }];
const RECIPE = encodeURIComponent('{"voltage":15,"tipDist":15}');

interface Sources {
  pages: HtmlPages;
  states: DatasetStates;
  releases: Releases;
  dataset: Pick<Upstream['dataset'], 'explore'>;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
}

/** Serves `/llms.txt` (llmstxt.org): an overview of the service for programs that read text. */
export function llmsTxtRoutes({ pages, states, releases, dataset, facts }: Sources): Route[] {
  const summaryOf = async (filter: Filter, call: Call): Promise<Summary> => {
    const question = { $case: 'summary', value: {} } as const;
    const { answerJson } = await exploreOne(dataset, { question, filter, atLeast: states.latest() }, call);
    return parseJson<Summary>(answerJson);
  };
  return [
    serve(getLlmsTxt, {
      handle: async ({ request, call }, response) => {
        const { publicRoot: root } = request.exchange;
        const make = async (): Promise<string> => {
          const [{ releases: all }, summary, withDiameter] = await Promise.all([
            releases.listed(call),
            summaryOf([], call),
            summaryOf(WITH_DIAMETER, call),
          ]);
          return llmsText({
            facts,
            root,
            mcp: `${root.replace(/^https?:\/\//, '')}/mcp`,
            newest: all[0] && { identifier: all[0].identifier, records: all[0].state?.recordCount ?? 0 },
            summary,
            unstableWithoutDiameter: withDiameter.cannotMatch[0]?.notStable ?? 0,
          });
        };
        await sendCachedText(pages, { mediaType: TEXT, make }, { request, call }, response);
      },
    }),
  ];
}

interface Overview {
  facts: Pick<DatasetFacts, 'title' | 'license'>;
  root: string;
  /** The endpoint of the Model Context Protocol without its scheme, because each URL of the file responds to GET. */
  mcp: string;
  newest: { identifier: string; records: number } | undefined;
  /** Counts of all records. */
  summary: Summary;
  unstableWithoutDiameter: number;
}

/** Writes `/llms.txt`. Each URL in it responds with 200, also for an empty dataset. */
function llmsText({ facts, root, mcp, newest, summary, unstableWithoutDiameter }: Overview): string {
  const { papers, tried, stable, repeats, total, records } = summary;
  const link = (name: string, path: string, what: string): string => `- [${name}](${root}${path}): ${what}`;
  const cited = newest?.identifier ?? (total > 0 ? 'latest' : undefined);
  const distinct = total < records ? ` (${total} distinct)` : '';
  const size = `${records} electrospinning experiments${distinct} from ${papers} papers, under the license ${oneLine(facts.license)}.`;
  const release = newest
    ? `The newest release is ${newest.identifier} with ${newest.records} experiments.`
    : 'There is no release yet.';
  return [
    `# ${oneLine(facts.title)}`,
    '',
    `> ${size} ${release}`,
    '',
    '## Data',
    '',
    link(
      'Records',
      '/public/dataset?limit=20',
      'JSON; `filter` selects, `sort` orders, `normalized=true` adds numbers.',
    ),
    link('Features', '/metadata/features', 'all keys of filters and analyses, with meaning, unit and range.'),
    link('Data dictionary', '/data-dictionary', 'the same as a web page.'),
    link('Explore', '/explore', 'web page with facets, plots and a table; its URL contains the whole view.'),
    link('Papers', '/public/dataset/papers?limit=20', 'the papers of the records with their bibliographic facts.'),
    ...(newest
      ? [
          link('CSV file', `/files/${newest.identifier}/records.csv`, 'all records of the newest release.'),
          link('Parquet file', `/files/${newest.identifier}/records.parquet`, 'the same, with normalized columns.'),
        ]
      : []),
    link('New records', '/feeds/records.atom', 'Atom feed of new and corrected records; accepts `filter`.'),
    link('New releases', '/feeds/releases.atom', 'Atom feed of the releases.'),
    '',
    '## API',
    '',
    link('Documentation', '/docs', 'all operations with examples.'),
    link('OpenAPI', '/openapi.json', 'the same for programs.'),
    link('Summary', '/public/dataset/summary', 'counts of records, papers, failed runs and repeats for a filter.'),
    link('Statistics', '/public/dataset/statistics', 'quantiles of each feature for a filter.'),
    link('Facets', '/public/dataset/facets', 'counts of polymers, solvents and other categories for a filter.'),
    link('Nearest experiments', `/public/dataset/nearest?recipe=${RECIPE}`, 'what others got with similar settings.'),
    link('API catalog', '/.well-known/api-catalog', `the interfaces, also tools for AI assistants (MCP): POST ${mcp}.`),
    '',
    '## Cite',
    '',
    ...(cited === undefined
      ? []
      : [
          link('Page to cite', `/release/${cited}`, 'citation, license, files and papers.'),
          link('Citation', `/public/dataset/${cited}/metadata?format=text`, 'APA.'),
          link('BibTeX', `/public/dataset/${cited}/metadata?format=bibtex`, 'for reference managers.'),
          link('Source papers', `/public/dataset/${cited}/papers?format=bibtex`, 'cite them too.'),
          link('About', '/about', 'how the data was collected, who reviews it, and how to cite it.'),
        ]),
    '',
    '## Caveats',
    '',
    ...caveats(records, { papers, stable, repeats, failing: tried.papersReportingFailures, unstableWithoutDiameter }),
    '',
  ].join('\n');
}

function caveats(
  total: number,
  {
    papers,
    stable,
    repeats,
    failing,
    unstableWithoutDiameter,
  }: Pick<Summary, 'papers' | 'stable' | 'repeats'> & { failing: number; unstableWithoutDiameter: number },
): string[] {
  return [
    ...(repeats.records === 0
      ? []
      : [
          `${repeats.records} of ${total} records repeat another record of the same paper in every published value. Analyses count each group once; \`repeats=all\` counts every record.`,
        ]),
    ...(stable.no === 0
      ? []
      : [
          `${stable.no} experiments report that fiber formation was not stable, and ${unstableWithoutDiameter} of them report no fiber diameter. A filter by a result hides such runs; the summary counts them.`,
        ]),
    ...(papers === 0
      ? []
      : [`${failing} of ${papers} papers report a failed run. A polymer without failures is not a safe one.`]),
    'Records of one paper are not independent. `perPaper=true` gives each paper the same weight.',
    'A value whose unit is missing is read in the unit of the filter. A value that cannot be converted matches no range.',
    'The latest dataset changes with each approval. Cite a release, or store a filter with `POST /public/queries`.',
  ].map((sentence) => `- ${sentence}`);
}
