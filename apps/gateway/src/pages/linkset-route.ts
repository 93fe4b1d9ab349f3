import type { z } from 'zod';
import type { Description } from '@esd/record/metadata/description';
import { type Input, route, type Route } from '../http/route.ts';
import { sendRevalidated } from '../http/send-revalidated.ts';
import { linkset, LINKSET_TYPE } from '../http/signposting.ts';

interface Definition<Parameters extends z.ZodRawShape> {
  path: string;
  parameters: z.ZodObject<Parameters>;
  /** Throws the same errors as the page. */
  describe: (input: Input<unknown, z.output<z.ZodObject<Parameters>>, undefined>) => Promise<Description>;
}

export function linksetRoute<Parameters extends z.ZodRawShape>({
  path,
  parameters,
  describe,
}: Definition<Parameters>): Route {
  return route<Readonly<Record<string, never>>, Parameters>({
    method: 'get',
    path,
    caller: 'ignored',
    limit: 'pages',
    isAtRootOnly: true,
    describe: 'page',
    anyQuery: true,
    parameters,
    handle: async (input, response) => {
      const text = linkset(await describe(input));
      sendRevalidated({ mediaType: LINKSET_TYPE, text }, input.request, response);
    },
  });
}
