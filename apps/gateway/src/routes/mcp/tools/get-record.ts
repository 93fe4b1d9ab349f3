import { publishedRecord } from '@esd/api/dataset';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { z } from 'zod';
import { withoutDiameter } from '../caveats.ts';
import { version, common, type ToolParts } from '../tool-parts.ts';
import { tool } from '../tool.ts';

export const getRecord = ({ records, releaseNamed, commonOf }: ToolParts) =>
  tool({
    name: 'get_record',
    title: 'Get a record',
    description: 'All published values of one experiment as reported, its numbers in common units, and its releases.',
    input: z.strictObject({ recordId: z.int().min(1), version }),
    output: publishedRecord.extend({
      data: z.looseObject({ recordId: z.int() }).meta({ description: 'The record as published.' }),
      ...common,
    }),
    run: async ({ recordId, version: name }, context) => {
      const of = await releaseNamed(name, context);
      const { state, body } = await records.find(recordId, of, context.call);
      const { data, ...rest } = publishedRecord.parse(JSON.parse(body.toString()));
      const { data: values } = parsePublicRecord(JSON.stringify(data));
      const { isFormationStable = null } = values.fiberProperty ?? {};
      const hasDiameter = rest.normalized.fiberDiameter !== undefined;
      const caveats = [
        ...(rest.withdrawn ? ['The record has been withdrawn since this release.'] : []),
        ...withoutDiameter([{ isFormationStable, hasDiameter }]),
      ];
      const page = `/record/${recordId}${of ? `?version=${encodeURIComponent(of.identifier)}` : ''}`;
      return {
        ...rest,
        data: z.looseObject({ recordId: z.int() }).parse(data),
        ...(await commonOf({ of, state, page, caveats }, context)),
      };
    },
  });
