import { type Creator, creatorName, orcidUrl, type RelatedWork, workUrl } from '../dataset-facts.ts';
import { dayOf, type Description, identifierUrl, licenseOf, mediaTypeOf, yearOf } from '../description.ts';
import { isDoi } from '../doi.ts';

interface Named {
  name: string;
  nameType: 'Personal' | 'Organizational';
  givenName?: string;
  familyName?: string;
  affiliation?: { name: string }[];
  nameIdentifiers?: { nameIdentifier: string; nameIdentifierScheme: string; schemeUri: string }[];
}

interface RelatedIdentifier {
  relatedIdentifier: string;
  relatedIdentifierType: 'DOI' | 'arXiv' | 'URL';
  relationType: string;
}

/** The properties of DataCite 4.5 without the identifier, common to both serializations. */
export interface DataCite {
  creators: Named[];
  titles: { title: string; lang: string }[];
  publisher: { name: string };
  publicationYear: string;
  subjects: { subject: string; lang: string }[];
  contributors?: (Named & { contributorType: string })[];
  dates: { date: string; dateType: string }[];
  language: string;
  types: { resourceTypeGeneral: 'Dataset'; resourceType: string };
  relatedIdentifiers: RelatedIdentifier[];
  sizes: string[];
  formats: string[];
  version?: string;
  rightsList: {
    rights: string;
    rightsUri?: string;
    rightsIdentifier?: string;
    rightsIdentifierScheme?: string;
    schemeUri?: string;
    lang: string;
  }[];
  descriptions: { description: string; descriptionType: 'Abstract'; lang: string }[];
}

const LANGUAGE = 'en';

export function dataCite(description: Description): DataCite {
  const { facts, title, version, issued } = description;
  return {
    creators: facts.creators.map(named),
    titles: [{ title, lang: LANGUAGE }],
    publisher: { name: facts.publisher.name },
    publicationYear: yearOf(issued),
    subjects: facts.keywords.map((subject) => ({ subject, lang: LANGUAGE })),
    dates: [
      { date: dayOf(issued), dateType: 'Issued' },
      ...(description.kind === 'record' ? [{ date: dayOf(description.modified), dateType: 'Updated' }] : []),
    ],
    language: LANGUAGE,
    types: {
      resourceTypeGeneral: 'Dataset',
      resourceType: description.kind === 'record' ? 'Electrospinning experiment' : 'Electrospinning experiments',
    },
    relatedIdentifiers: relatedIdentifiers(description),
    ...sizesAndFormats(description),
    ...(version === undefined ? {} : { version }),
    rightsList: [{ ...rights(description), lang: LANGUAGE }],
    descriptions: [{ description: description.description, descriptionType: 'Abstract', lang: LANGUAGE }],
  };
}

function named(creator: Creator): Named {
  const name = creatorName(creator);
  if (creator.type === 'Organization') return { name, nameType: 'Organizational' };
  const { givenName, familyName, orcid, affiliation } = creator;
  return {
    name,
    nameType: 'Personal',
    givenName,
    familyName,
    ...(affiliation === undefined ? {} : { affiliation: [{ name: affiliation }] }),
    ...(orcid === undefined
      ? {}
      : {
          nameIdentifiers: [
            { nameIdentifier: orcidUrl(orcid), nameIdentifierScheme: 'ORCID', schemeUri: 'https://orcid.org' },
          ],
        }),
  };
}

function relatedIdentifiers(description: Description): RelatedIdentifier[] {
  const { facts, papers } = description;
  return [
    ...facts.related.map((work) => ({ ...ofWork(work), relationType: work.relation })),
    ...papers.map(({ doi }) => ({
      ...ofWork({ type: isDoi(doi) ? 'DOI' : 'URL', identifier: doi }),
      relationType: 'IsDerivedFrom',
    })),
    ...(description.kind === 'dataset'
      ? [
          ...(description.previous ? [{ ...ofOther(description.previous), relationType: 'IsNewVersionOf' }] : []),
          ...(description.next ? [{ ...ofOther(description.next), relationType: 'IsPreviousVersionOf' }] : []),
        ]
      : [{ ...ofOther(description.dataset), relationType: 'IsPartOf' }]),
  ];
}

function ofWork(work: Pick<RelatedWork, 'type' | 'identifier'>): Omit<RelatedIdentifier, 'relationType'> {
  const relatedIdentifier = work.type === 'URL' ? workUrl(work) : work.identifier;
  return { relatedIdentifier, relatedIdentifierType: work.type };
}

function ofOther(other: { url: string; doi?: string | undefined }): Omit<RelatedIdentifier, 'relationType'> {
  const { doi } = other;
  return doi === undefined
    ? { relatedIdentifier: identifierUrl(other), relatedIdentifierType: 'URL' }
    : { relatedIdentifier: doi, relatedIdentifierType: 'DOI' };
}

function sizesAndFormats(description: Description): { sizes: string[]; formats: string[] } {
  if (description.kind === 'record') return { sizes: ['1 record'], formats: ['application/json'] };
  const { recordCount, files } = description;
  return {
    sizes: [
      `${recordCount} records`,
      ...files.flatMap(({ format, stored }) => (stored === undefined ? [] : [`${stored.bytes} B (${format})`])),
    ],
    formats: files.map(mediaTypeOf),
  };
}

function rights(description: Description): Omit<DataCite['rightsList'][number], 'lang'> {
  const { spdx, url } = licenseOf(description);
  return {
    rights: description.license,
    ...(url === undefined ? {} : { rightsUri: url }),
    ...(spdx === undefined
      ? {}
      : { rightsIdentifier: spdx, rightsIdentifierScheme: 'SPDX', schemeUri: 'https://spdx.org/licenses/' }),
  };
}
