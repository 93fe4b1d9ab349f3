import type { ResponseAt } from '@esd/api/operations';
import type { Facet } from '@esd/pages/explore-data';
import { parseJson } from '../dataset/parse-json.ts';

/** Returns the polymers in a response that counts the values of categories. Throws if it has none. */
export function polymerFacet(json: Uint8Array): Facet {
  const { polymer } = parseJson<ResponseAt<'get', '/public/dataset/facets'>>(json).facets;
  if (!polymer) throw new Error('the response does not count the polymers');
  return polymer;
}
