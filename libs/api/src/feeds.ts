import { z } from 'zod';
import { idText, integerText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { filterText } from './record-list.ts';

/** The number of entries of a feed, unless the request has `limit`. */
export const FEED_ENTRIES = 50;
const MAX_ENTRIES = 200;

const recordsQuery = z.object({
  filter: filterText,
  limit: integerText(1, MAX_ENTRIES)
    .default(FEED_ENTRIES)
    .meta({ default: FEED_ENTRIES, description: 'The number of entries.' }),
  before: integerText(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'A dataset revision. The feed has the records that were published before it.' }),
  record: idText.optional().meta({
    description:
      'Requires `before`. The feed also has the records of that dataset revision whose id is lower than this one.',
  }),
});
const description = {
  tag: 'Feeds',
  otherTypes: ['application/atom+xml'],
  revalidates: true,
} satisfies Partial<Description>;

const common = { method: 'get', caller: 'ignored', limit: 'pages' } as const;

export const getRecordFeed = operation({
  ...common,
  path: '/feeds/records.atom',
  describe: {
    ...description,
    summary: 'Get a feed of the published records',
    details:
      'Each entry is the published revision of a record, newest dataset revision first. A correction is a new entry; a withdrawn record has none. The link `next` leads to the next page.',
    returns: 'An Atom feed (RFC 4287).',
    errors: ['INVALID_FILTER'],
    example: { parameters: { filter: '{"polymer":"PVDF"}', limit: 10 } },
  },
  query: recordsQuery,
});

export const getReleaseFeed = operation({
  ...common,
  path: '/feeds/releases.atom',
  describe: {
    ...description,
    summary: 'Get a feed of the releases',
    returns: 'An Atom feed (RFC 4287) with an entry for each release, newest first.',
    example: {},
  },
});
