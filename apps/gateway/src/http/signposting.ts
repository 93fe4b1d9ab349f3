import { orcidUrl } from '@esd/record/metadata/dataset-facts';
import { type Description, identifierUrl, licenseOf, mediaTypeOf } from '@esd/record/metadata/description';
import { citationFormats, datasetFormats } from '@esd/record/metadata/metadata-formats';

/** A typed link from a landing page, or back to it: one of the relations of Signposting's FAIR profile (signposting.org/FAIR). */
export interface TypedLink {
  readonly rel:
    | 'cite-as'
    | 'type'
    | 'describedby'
    | 'item'
    | 'license'
    | 'author'
    | 'linkset'
    | 'collection'
    | 'describes';
  readonly href: string;
  readonly type?: string;
  readonly profile?: string;
}

export const LINKSET_TYPE = 'application/linkset+json';

function metadataUrl(description: Description, format: string): string {
  return `${baseOf(description)}/metadata?format=${format}`;
}

function baseOf(description: Description): string {
  const { root, version = 'latest' } = description;
  const dataset = `${root}/public/dataset/${version}`;
  switch (description.kind) {
    case 'dataset':
      return dataset;
    case 'record':
      return `${dataset}/records/${description.recordId}`;
    case 'query':
      return `${root}/public/queries/${description.queryId}`;
  }
}

function linksetUrl({ url }: Pick<Description, 'url'>): string {
  const [path = '', query] = url.split('?');
  return `${path}/linkset${query === undefined ? '' : `?${query}`}`;
}

/** Returns the typed links of a landing page, level 1 of the FAIR profile. */
export function typedLinks(description: Description): TypedLink[] {
  const { facts } = description;
  const formats = description.kind === 'dataset' ? datasetFormats : citationFormats;
  const { url: license } = licenseOf(description);
  return [
    { rel: 'cite-as', href: identifierUrl(description) },
    { rel: 'type', href: 'https://schema.org/Dataset' },
    { rel: 'type', href: 'https://schema.org/AboutPage' },
    ...(license === undefined ? [] : [{ rel: 'license', href: license } as const]),
    ...facts.creators.flatMap((creator) =>
      creator.type === 'Person' && creator.orcid !== undefined
        ? [{ rel: 'author', href: orcidUrl(creator.orcid) } as const]
        : [],
    ),
    ...Object.entries(formats).map(([format, { mediaType }]) => {
      const [type = '', parameter] = mediaType.split(/;\s*/);
      const profile = /^profile="(.*)"$/.exec(parameter ?? '')?.[1];
      return {
        rel: 'describedby',
        href: metadataUrl(description, format),
        type,
        ...(profile === undefined ? {} : { profile }),
      } as const;
    }),
    ...itemsOf(description),
    { rel: 'linkset', href: linksetUrl(description), type: LINKSET_TYPE },
  ];
}

/** Returns the typed links of a file whose landing page is at `url`. */
export function fileLinks(url: string): TypedLink[] {
  return [
    { rel: 'collection', href: url, type: 'text/html' },
    { rel: 'linkset', href: linksetUrl({ url }), type: LINKSET_TYPE },
  ];
}

function itemsOf(description: Description): TypedLink[] {
  if (description.kind === 'record') return [{ rel: 'item', href: description.dataUrl, type: 'application/json' }];
  return description.files.map((file) => ({ rel: 'item', href: file.url, type: mediaTypeOf(file) }));
}

export function typedLinkHeader(links: readonly TypedLink[]): string {
  return links
    .map(({ rel, href, type, profile }) => {
      const parameters = Object.entries({ rel, type, profile }).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}="${value}"`],
      );
      return `<${href}>; ${parameters.join('; ')}`;
    })
    .join(', ');
}

/** Returns all typed links, including those from metadata and files, as a linkset (RFC 9264; FAIR profile level 2). */
export function linkset(description: Description): string {
  const { url } = description;
  const own = new Map<string, object[]>();
  for (const { rel, ...target } of typedLinks(description)) {
    if (rel !== 'linkset') own.set(rel, [...(own.get(rel) ?? []), target]);
  }
  const back = typedLinks(description).flatMap(({ rel, href }): object[] => {
    if (rel === 'describedby') return [{ anchor: href, describes: [{ href: url, type: 'text/html' }] }];
    return rel === 'item' ? [{ anchor: href, collection: [{ href: url, type: 'text/html' }] }] : [];
  });
  return JSON.stringify({ linkset: [{ anchor: url, ...Object.fromEntries(own) }, ...back] });
}
