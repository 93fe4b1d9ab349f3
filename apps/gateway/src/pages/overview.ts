import { exploreOne } from '@esd/dataset-client/explore-one';
import type { Overview } from '@esd/pages/overview';
import type { HomePage } from '@esd/pages/page';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { parseJson } from '../dataset/parse-json.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { readKnown } from '../metadata/read-known.ts';

const POLYMERS = 12;
// The plot cannot show more distinct points.
const DIAMETERS = 2_000;
const ADDITIONS = 4;

export async function readOverview(
  { dataset }: Pick<Upstream, 'dataset'>,
  states: DatasetStates,
  call: Call,
): Promise<Pick<HomePage, 'known'> & { overview: Overview }> {
  const value = { polymers: POLYMERS, diameters: DIAMETERS, additions: ADDITIONS };
  const question = { $case: 'overview', value } as const;
  const { answerJson, ...found } = await exploreOne(
    dataset,
    { question, atLeast: states.latest(), papers: true, names: true },
    call,
  );
  const overview = parseJson<Overview>(answerJson);
  return { overview, known: readKnown(found) };
}
