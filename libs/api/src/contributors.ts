import { z } from 'zod';
import { operation } from './operation.ts';

export const contributors = z.array(
  z.strictObject({
    name: z.string(),
    affiliation: z.string().optional(),
    orcid: z.string().optional(),
    publishedRecords: z
      .int()
      .min(1)
      .meta({ description: 'The number of published records from submissions with `showPublicly: true`.' }),
  }),
);

export const listContributors = operation({
  method: 'get',
  path: '/contributors/list',
  caller: 'ignored',
  describe: {
    tag: 'Dataset',
    summary: 'List the contributors who agreed to be named',
    details: `The list contains everyone who sent \`showPublicly: true\` in the \`userMetadata\` of a submission with a published record. Each account is one contributor; without an account, each name with its ORCID iD is one.
If several submissions have \`showPublicly\`, the newest one decides. The newest submission with \`true\` provides the name, the affiliation and the ORCID iD. Contributors without a name are not listed. The web page \`/contributors\` shows the same list.`,
    returns: 'The 5,000 contributors with the most published records, in descending order.',
    revalidates: true,
  },
  response: contributors,
});
