import { exploreOne } from '@esd/dataset-client/explore-one';
import { z } from 'zod';
import type { Overview } from '@esd/pages/page';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

const POLYMERS = 12;
// More than these are not told apart in the plot.
const DIAMETERS = 2_000;
const ADDITIONS = 4;

const counted = z.int().min(0);
const figure = z.number().nullable();

const overviewAnswer = z.object({
  total: counted,
  papers: counted,
  polymers: counted,
  solventSystems: counted,
  unstable: counted,
  sampled: z.boolean(),
  byPolymer: z.array(
    z.object({
      polymer: z.string(),
      records: counted,
      withDiameter: counted,
      min: figure,
      median: figure,
      max: figure,
      diameters: z.array(z.number()),
    }),
  ),
  additions: z.array(
    z.object({ day: z.string(), doi: z.string().nullable(), records: counted, polymers: z.array(z.string()) }),
  ),
}) satisfies z.ZodType<Overview>;

/** How large the dataset is now, what fibers each polymer gave, and what came last. */
export async function readOverview(
  { dataset }: Pick<Upstream, 'dataset'>,
  states: DatasetStates,
  call: Call,
): Promise<Overview> {
  const value = { polymers: POLYMERS, diameters: DIAMETERS, additions: ADDITIONS };
  const question = { $case: 'overview', value } as const;
  const { answerJson } = await exploreOne(dataset, { question, atLeast: states.seen() }, call);
  return overviewAnswer.parse(JSON.parse(Buffer.from(answerJson).toString()));
}
