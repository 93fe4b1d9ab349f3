import type { DatasetDescription, Description } from './description.ts';
import { bibtex } from './formats/bibtex.ts';
import { croissant } from './formats/croissant.ts';
import { cslJson } from './formats/csl-json.ts';
import { dataCiteJson } from './formats/datacite-json.ts';
import { dataCiteXml } from './formats/datacite-xml.ts';
import { dataPackage } from './formats/datapackage.ts';
import { hfCard } from './formats/hf-card.ts';
import { ris } from './formats/ris.ts';
import { roCrate } from './formats/ro-crate.ts';
import { schemaOrg } from './formats/schema-org.ts';
import { citationText } from './formats/text.ts';

/** The formats of all citable objects: datasets, records and queries. */
export const citationFormats = {
  'schema-org': { mediaType: 'application/ld+json', write: schemaOrg },
  'datacite-json': { mediaType: 'application/vnd.datacite.datacite+json', write: dataCiteJson },
  'datacite-xml': { mediaType: 'application/vnd.datacite.datacite+xml', write: dataCiteXml },
  bibtex: { mediaType: 'application/x-bibtex; charset=utf-8', write: bibtex },
  ris: { mediaType: 'application/x-research-info-systems; charset=utf-8', write: ris },
  'csl-json': { mediaType: 'application/vnd.citationstyles.csl+json', write: cslJson },
  text: { mediaType: 'text/plain; charset=utf-8', write: citationText },
} as const satisfies Readonly<Record<string, { mediaType: string; write: (description: Description) => string }>>;

export const datasetFormats = {
  ...citationFormats,
  croissant: {
    mediaType: 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
    write: croissant,
  },
  datapackage: { mediaType: 'application/vnd.datapackage+json', write: dataPackage },
  'ro-crate': { mediaType: 'application/ld+json', write: roCrate },
  'hf-card': { mediaType: 'text/markdown; charset=utf-8', write: hfCard },
} as const satisfies Readonly<
  Record<string, { mediaType: string; write: (description: DatasetDescription) => string }>
>;

export type CitationFormat = keyof typeof citationFormats;
export type DatasetFormat = keyof typeof datasetFormats;

// Safe casts: the tables have no other keys.
export const citationFormatNames = Object.keys(citationFormats) as [CitationFormat, ...CitationFormat[]];
export const datasetFormatNames = Object.keys(datasetFormats) as [DatasetFormat, ...DatasetFormat[]];

export const DEFAULT_METADATA_FORMAT = 'schema-org' satisfies CitationFormat;

export interface Metadata {
  readonly mediaType: string;
  readonly text: string;
}

export function datasetMetadata(description: DatasetDescription, format: DatasetFormat): Metadata {
  const { mediaType, write } = datasetFormats[format];
  return { mediaType, text: write(description) };
}

/** Returns the metadata in the first format with the media type (without charset), or undefined. */
export function metadataOfType(description: Description, type: string): Metadata | undefined {
  const of = ({ mediaType }: { mediaType: string }): boolean => mediaType.replace(/; charset=.*/, '') === type;
  const format = citationFormatNames.find((name) => of(citationFormats[name]));
  if (format !== undefined) return citationMetadata(description, format);
  const own = datasetFormatNames.find((name) => of(datasetFormats[name]));
  return own === undefined || description.kind !== 'dataset' ? undefined : datasetMetadata(description, own);
}

export function citationMetadata(description: Description, format: CitationFormat): Metadata {
  const { mediaType, write } = citationFormats[format];
  return { mediaType, text: write(description) };
}
