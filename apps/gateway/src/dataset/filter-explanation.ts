import type { explanation } from '@esd/api/dataset-pages';
import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Filter } from '@esd/record/filter/filter';
import type { z } from 'zod';
import { parseJson } from './parse-json.ts';
import type { KnownRelease } from './releases.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

type Explanation = z.output<typeof explanation>;
type RecordConditions = NonNullable<Explanation['record']>['conditions'];

/** Explains a filter at the newest state or at a release; with a record, also whether and why it matches. */
export async function explainFilter(
  dataset: Pick<Upstream['dataset'], 'explainFilter'>,
  { filter, once, recordId }: { filter: Filter; once: boolean; recordId: number | undefined },
  release: KnownRelease | undefined,
  call: Call,
): Promise<Explanation> {
  const answer = await dataset.explainFilter(
    { filter: filterToWire(filter), once, recordId, revision: release?.state.revision },
    call,
  );
  const { total, conditionsJson, recordMatches, recordConditionsJson } = answer;
  return {
    conditions: parseJson<Explanation['conditions']>(conditionsJson),
    total,
    version: release?.identifier ?? 'latest',
    ...(recordId === undefined
      ? {}
      : {
          record: {
            recordId,
            matches: recordMatches === true,
            conditions: parseJson<RecordConditions>(recordConditionsJson),
          },
        }),
  };
}
