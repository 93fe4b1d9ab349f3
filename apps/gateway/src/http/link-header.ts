export interface Page {
  skip: number;
  limit: number;
  total: number;
  parameters?: Readonly<Record<string, string>>;
}

/** Returns the `Link` header of a page (RFC 8288). `list` is the URL of the list without a query, see `selfUrl`. */
export function linkHeader(list: string, { skip, limit, total, parameters = {} }: Page): string {
  const link = (relation: string, first: number): string => {
    const query = new URLSearchParams({ skip: String(first), limit: String(limit), ...parameters });
    return `<${list}?${query.toString()}>; rel="${relation}"`;
  };
  // Pages are counted from `skip`, so that following `next` ends exactly at `last`.
  const offset = skip % limit;
  const last = total > offset ? offset + Math.floor((total - 1 - offset) / limit) * limit : 0;
  const links = [link('first', 0)];
  if (skip > 0) links.push(link('prev', Math.min(Math.max(0, skip - limit), last)));
  if (skip + limit < total) links.push(link('next', skip + limit));
  links.push(link('last', last));
  return links.join(', ');
}

export function linkHeaderAfter(
  list: string,
  { limit, nextAfter, parameters = {} }: Pick<Page, 'limit' | 'parameters'> & { nextAfter: number | undefined },
): string {
  const link = (relation: string, after: number): string => {
    const query = new URLSearchParams({ after: String(after), limit: String(limit), ...parameters });
    return `<${list}?${query.toString()}>; rel="${relation}"`;
  };
  return [link('first', 0), ...(nextAfter === undefined ? [] : [link('next', nextAfter)])].join(', ');
}

export function linkParameters(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
