import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Question } from '@esd/dataset-client/explore-one';
import type { Points } from '@esd/pages/explore-data';
import type { DiameterFigure } from '@esd/pages/page';
import type { ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import type { Filter } from '@esd/record/filter/filter';
import type { Feature } from '@esd/record/filter/filter-keys';
import { parseJson } from '../dataset/parse-json.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

// More points overlap in the plot.
const MAX_POINTS = 2_000;

/** Reads fiber diameters against the setting that places the most records; undefined without settings. */
export async function readFigure(
  dataset: Pick<Upstream['dataset'], 'explore'>,
  { filter, ...of }: Pick<ExploreRequest, 'revision' | 'atLeast' | 'queryId'> & { filter: Filter },
  settings: readonly Feature[],
  call: Call,
): Promise<DiameterFigure | undefined> {
  if (settings.length === 0) return undefined;
  const questionOf = (x: Feature): Question => ({
    $case: 'points',
    value: { x, y: 'fiberDiameter', color: 'isFormationStable', limit: MAX_POINTS, nulls: true, explain: false },
  });
  const { answersJson } = await dataset.explore(
    {
      ...of,
      version: '',
      filter: filterToWire(filter),
      questions: settings.map((x) => ({ question: questionOf(x) })),
      records: undefined,
      recordIds: [],
      once: true,
    },
    call,
  );
  const figures = settings.map((x, at) => ({ x, points: parseJson<Points>(answersJson[at] ?? new Uint8Array()) }));
  return figures.reduce((best, one) => (one.points.placed > best.points.placed ? one : best));
}
