import type { Filter } from '@esd/record/filter/filter';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { ServiceError } from '@esd/service/errors';

/** Returns the JSON before and after the records of a page. `after` replaces `skip`. */
export function pageEnvelope({ skip, after, limit, total, version }: PageEnvelope): [opening: Buffer, closing: Buffer] {
  const position = after === undefined ? `"skip":${skip}` : `"after":${after}`;
  const closing = `],"total":${total},${position},"limit":${limit},"version":${JSON.stringify(version)}}`;
  return [Buffer.from('{"data":['), Buffer.from(closing)];
}

interface PageEnvelope {
  skip: number;
  after: number | undefined;
  limit: number;
  total: number;
  version: string;
}

/** Parses a filter; an absent one has no conditions. Throws INVALID_FILTER. */
export function readFilter(text: string | undefined): Filter {
  if (text === undefined) return [];
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return parsed.filter;
}
