import { z } from 'zod';
import type { Renderer } from '@esd/pages/page';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { Call } from '../http/call.ts';
import { route, type Route } from '../http/route.ts';
import { pageRoute } from '../pages/page-route.ts';
import type { Upstream } from '../upstream/upstream.ts';

const contributors = z.array(
  z.strictObject({
    name: z.string(),
    affiliation: z.string().optional(),
    orcid: z.string().optional(),
    publishedRecords: z
      .int()
      .min(1)
      .meta({ description: 'Published records of the submissions with `showPublicly: true`.' }),
  }),
);

/** The public list of contributors: for programs, and as a page. */
export function contributorRoutes(
  renderer: Renderer,
  { contributors: service }: Pick<Upstream, 'contributors'>,
): Route[] {
  const listed = async (call: Call) => (await service.listContributors({}, call)).contributors;
  return [
    pageRoute(renderer, {
      path: '/contributors',
      show: async ({ call }) => {
        const list = await listed(call);
        return {
          page: { kind: 'contributors', contributors: list },
          place: '/contributors',
          json: () => JSON.stringify(list),
        };
      },
    }),
    route({
      method: 'get',
      path: '/contributors/list',
      caller: 'ignored',
      describe: {
        tag: 'Dataset',
        summary: 'List the contributors who want to be named',
        details: `Contributors who sent \`showPublicly: true\` in the \`userMetadata\` of a submission with a published record. An account is one contributor; without an account, a name with its ORCID iD is.
Of several submissions with \`showPublicly\` the newest decides, and the newest with \`true\` gives the name, the affiliation and the ORCID iD; contributors without a name are not listed. The page \`/contributors\` shows the same list to people.`,
        returns: 'The 5,000 contributors with the most published records, in descending order.',
        revalidates: true,
      },
      answer: contributors,
      handle: async ({ request, call }, response) => {
        const list = await listed(call);
        const tag = textTag(JSON.stringify(list));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(list);
      },
    }),
  ];
}
