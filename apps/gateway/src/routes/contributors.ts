import { z } from 'zod';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/entity-tag';
import { route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const contributors = z.array(
  z.strictObject({
    name: z.string(),
    affiliation: z.string().optional(),
    orcid: z.string().optional(),
    publishedRecords: z.int().min(1).meta({ description: 'Published records of the submissions that say so.' }),
  }),
);

/** The public list of contributors. */
export function contributorRoutes({ contributors: service }: Pick<Upstream, 'contributors'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/contributors/list',
      caller: 'ignored',
      describe: {
        tag: 'Dataset',
        summary: 'Contributors who want to be named',
        details: `Whoever said \`showPublicly: true\` in the userMetadata of a submission with a published record; an account, or without one a name with its ORCID iD, is one contributor.
Of several submissions that say showPublicly the newest decides, and the newest that says true gives the name, the affiliation and the ORCID iD; without a name nobody is listed.`,
        returns: 'The 5,000 with the most published records, those with the most first.',
        revalidates: true,
      },
      answer: contributors,
      handle: async ({ request, call }, response) => {
        const list = (await service.listContributors({}, call)).contributors;
        const tag = textTag(JSON.stringify(list));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(list);
      },
    }),
  ];
}
