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
      .meta({ description: 'The number of published records from submissions with `showPublicly: true`.' }),
  }),
);

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
          path: '/contributors',
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
        summary: 'List the contributors who agreed to be named',
        details: `The list contains everyone who sent \`showPublicly: true\` in the \`userMetadata\` of a submission with a published record. Each account is one contributor; without an account, each name with its ORCID iD is one.
If several submissions have \`showPublicly\`, the newest one decides. The newest submission with \`true\` provides the name, the affiliation and the ORCID iD. Contributors without a name are not listed. The web page \`/contributors\` shows the same list.`,
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
