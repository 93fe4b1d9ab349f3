import type { Request } from 'express';
import { selfUrl } from './public-url.ts';

export interface Page {
  skip: number;
  limit: number;
  total: number;
}

type Listed = Parameters<typeof selfUrl>[0] & Pick<Request, 'url'>;

/** Returns the `Link` header of a page (RFC 8288). Linked pages have all other parameters of the request. */
export function pageLinks(request: Listed, { skip, limit, total }: Page): string {
  // Pages are counted from `skip`, so that following `next` ends exactly at `last`.
  const offset = skip % limit;
  const last = total > offset ? offset + Math.floor((total - 1 - offset) / limit) * limit : 0;
  return links(request, 'skip', limit, {
    first: 0,
    prev: skip > 0 ? Math.min(Math.max(0, skip - limit), last) : undefined,
    next: skip + limit < total ? skip + limit : undefined,
    last,
  });
}

export function pageLinksAfter(request: Listed, limit: number, nextAfter: number | undefined): string {
  return links(request, 'after', limit, { first: 0, next: nextAfter });
}

function links(
  request: Listed,
  position: 'skip' | 'after',
  limit: number,
  positions: Readonly<Record<string, number | undefined>>,
): string {
  const otherParameters = [...new URLSearchParams(request.url.split('?')[1])].filter(
    ([name]) => name !== position && name !== 'limit',
  );
  const list = selfUrl(request);
  return Object.entries(positions)
    .flatMap(([relation, first]) => {
      if (first === undefined) return [];
      const query = new URLSearchParams([[position, String(first)], ['limit', String(limit)], ...otherParameters]);
      return [`<${list}?${query.toString()}>; rel="${relation}"`];
    })
    .join(', ');
}
