import type { Creator } from '../dataset-facts.ts';
import { type Description, identifierUrl } from '../description.ts';
import { citationKey } from './citation-key.ts';
import { json } from './json.ts';

/** Writes CSL-JSON: a list of one item, as citation processors expect. */
export function cslJson(description: Description): string {
  const { facts, title, version, doi, issued } = description;
  return json([
    {
      id: citationKey(description),
      type: 'dataset',
      title,
      author: facts.creators.map(name),
      issued: { 'date-parts': [[issued.getUTCFullYear(), issued.getUTCMonth() + 1, issued.getUTCDate()]] },
      publisher: facts.publisher.name,
      ...(version === undefined ? {} : { version }),
      abstract: description.description,
      keyword: facts.keywords.join(', '),
      language: 'en',
      ...(doi === undefined ? {} : { DOI: doi }),
      URL: identifierUrl(description),
    },
  ]);
}

function name(creator: Creator) {
  return creator.type === 'Organization'
    ? { literal: creator.name }
    : { family: creator.familyName, given: creator.givenName };
}
