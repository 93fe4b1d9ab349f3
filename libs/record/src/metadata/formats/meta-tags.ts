import { creatorName } from '../dataset-facts.ts';
import { dayOf, type Description, identifierUrl, licenseOf, oneLine } from '../description.ts';

/**
 * Returns the `meta` elements for reference managers and Google Scholar: Highwire Press tags
 * (scholar.google.com/intl/en/scholar/inclusion.html) and Dublin Core (DCMI, "Expressing Dublin Core in HTML").
 */
export function metaTags(description: Description): (readonly [name: string, content: string])[] {
  const { title, facts, issued, doi, version } = description;
  const creators = facts.creators.map((creator) => oneLine(creatorName(creator)));
  const day = dayOf(issued);
  const { url: license = description.license } = licenseOf(description);
  return [
    ['citation_title', oneLine(title)],
    ...creators.map((name) => ['citation_author', name] as const),
    ['citation_publication_date', day.replaceAll('-', '/')],
    ['citation_publisher', oneLine(facts.publisher.name)],
    ...(doi === undefined ? [] : [['citation_doi', doi] as const]),
    ['citation_public_url', identifierUrl(description)],
    ['DC.title', oneLine(title)],
    ...creators.map((name) => ['DC.creator', name] as const),
    ['DC.date', day],
    ['DC.publisher', oneLine(facts.publisher.name)],
    ['DC.identifier', identifierUrl(description)],
    ['DC.type', 'Dataset'],
    ['DC.rights', license],
    ...(version === undefined ? [] : [['DC.hasVersion', version] as const]),
  ];
}
