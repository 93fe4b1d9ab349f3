/** A page of a list: its first item, how many items a page has, and how many there are in all. */
export interface Page {
  skip: number;
  limit: number;
  total: number;
  /** Further parameters of the list, such as its filter. */
  parameters?: Readonly<Record<string, string>>;
}

/**
 * The `Link` header of a page (RFC 8288): first, prev, next and last, as far as they exist. The references are
 * relative and consist of the query alone, so that base and path stay as the caller wrote them.
 */
export function linkHeader({ skip, limit, total, parameters = {} }: Page): string {
  const reference = (relation: string, first: number): string => {
    const query = new URLSearchParams({ skip: String(first), limit: String(limit), ...parameters });
    return `<?${query.toString()}>; rel="${relation}"`;
  };
  // Pages are counted from `skip`, so that following `next` arrives exactly at `last`.
  const offset = skip % limit;
  const last = total > offset ? offset + Math.floor((total - 1 - offset) / limit) * limit : 0;
  const links = [reference('first', 0)];
  if (skip > 0) links.push(reference('prev', Math.min(Math.max(0, skip - limit), last)));
  if (skip + limit < total) links.push(reference('next', skip + limit));
  links.push(reference('last', last));
  return links.join(', ');
}
