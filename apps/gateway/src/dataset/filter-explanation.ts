import { filterToWire } from '@esd/dataset-client/filter-wire';
import type { Filter } from '@esd/record/filter/filter';
import { z } from 'zod';
import type { KnownRelease } from './releases.ts';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

const condition = z.strictObject({
  key: z.string(),
  meaning: z.string().meta({ description: 'The condition in words.' }),
  unit: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  text: z.string().optional().meta({ description: 'The normalized search text.' }),
  entries: z
    .array(z.string())
    .optional()
    .meta({ description: 'The entries of the reference list that the text matches.' }),
  values: z
    .array(z.string())
    .optional()
    .meta({ description: 'The exact values that match; empty matches records without a value.' }),
  words: z
    .array(z.string())
    .optional()
    .meta({ description: 'The words of the category; a matching device contains at least one.' }),
});

export const explanation = z.strictObject({
  conditions: z.array(condition),
  total: z.int().min(0).meta({ description: 'The number of records that match.' }),
  version: z.string().meta({ description: '`latest` or the identifier of a release.' }),
  record: z
    .strictObject({
      recordId: z.int(),
      matches: z.boolean(),
      conditions: z.array(
        condition.extend({
          holds: z.boolean(),
          value: z.number().optional().meta({ description: 'The value of the record in `unit`.' }),
          texts: z.array(z.string()).optional().meta({ description: 'The texts of the record that were searched.' }),
          reason: z.string().optional().meta({ description: 'The reason why the condition is not met.' }),
        }),
      ),
    })
    .optional(),
});

/** Explains a filter at the newest state or at a release; with a record, also whether and why it matches. */
export async function explainFilter(
  dataset: Pick<Upstream['dataset'], 'explainFilter'>,
  { filter, once, recordId }: { filter: Filter; once: boolean; recordId: number | undefined },
  release: KnownRelease | undefined,
  call: Call,
): Promise<z.output<typeof explanation>> {
  const answer = await dataset.explainFilter(
    { filter: filterToWire(filter), once, recordId, revision: release?.state.revision },
    call,
  );
  const { total, conditionsJson, recordMatches, recordConditionsJson } = answer;
  const conditionsOf = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString());
  return explanation.parse({
    conditions: conditionsOf(conditionsJson),
    total,
    version: release?.identifier ?? 'latest',
    ...(recordId === undefined
      ? {}
      : { record: { recordId, matches: recordMatches, conditions: conditionsOf(recordConditionsJson) } }),
  });
}
