import { type FileFormatName, fileFormats } from '../catalog/file-formats.ts';
import type { DatasetFacts } from './dataset-facts.ts';
import { doiUrl } from './dataset-facts.ts';
import type { FeatureFacts } from './feature-facts.ts';

/** A publication that records come from. */
export interface Paper {
  /** In its compared form. */
  readonly doi: string;
  readonly title?: string | undefined;
}

/** A file of the dataset that can be downloaded. */
export interface DataFile {
  readonly format: FileFormatName;
  /** Absolute. */
  readonly url: string;
  /** Of a file that never changes. */
  readonly stored?: { readonly bytes: number; readonly sha256: string } | undefined;
}

/** A feature with the range of its values. */
export interface Variable {
  readonly feature: FeatureFacts;
  readonly min: number;
  readonly max: number;
}

/** Another release. */
export interface OtherRelease {
  readonly version: string;
  readonly url: string;
  readonly doi?: string | undefined;
}

interface Described {
  readonly facts: DatasetFacts;
  /** Of what is described; for a record its own. */
  readonly title: string;
  readonly description: string;
  /** The address that stays: the landing page. */
  readonly url: string;
  /** Where the interface is, without a slash at the end. */
  readonly root: string;
  /** In its compared form. */
  readonly doi?: string | undefined;
  /** An SPDX identifier, the address of a license, or another text. */
  readonly license: string;
  /** When it was published. */
  readonly issued: Date;
  readonly papers: readonly Paper[];
}

/** A release of the dataset, or the dataset as it is now. */
export interface DatasetDescription extends Described {
  readonly kind: 'dataset';
  /** The identifier of a release; absent for the dataset as it is now. */
  readonly version?: string | undefined;
  /** The dataset revision. */
  readonly revision: number;
  readonly recordCount: number;
  readonly files: readonly DataFile[];
  readonly variables: readonly Variable[];
  readonly previous?: OtherRelease | undefined;
  readonly next?: OtherRelease | undefined;
}

/** One record of a release, or of the dataset as it is now. */
export interface RecordDescription extends Described {
  readonly kind: 'record';
  readonly recordId: number;
  /** Of the release that it is read from. */
  readonly version?: string | undefined;
  /** When this revision of the record was approved. */
  readonly modified: Date;
  readonly values: readonly { readonly feature: FeatureFacts; readonly value: number }[];
  readonly dataset: { readonly url: string; readonly doi?: string | undefined };
  /** Its JSON. */
  readonly dataUrl: string;
}

/** What a public query found; it is never changed. */
export interface QueryDescription extends Described {
  readonly kind: 'query';
  readonly queryId: string;
  /** The identifier of the release that was asked; absent where it was the dataset as it was then. */
  readonly version?: string | undefined;
  /** The dataset revision that was asked. */
  readonly revision: number;
  readonly recordCount: number;
  /** SHA-256 over the records; see docs/explore.md. */
  readonly digest: string;
  readonly files: readonly DataFile[];
  readonly dataset: { readonly url: string; readonly doi?: string | undefined };
}

export type Description = DatasetDescription | RecordDescription | QueryDescription;

/** What a citation says of something. */
export type Cited = Pick<Described, 'facts' | 'title' | 'url' | 'doi' | 'issued'> &
  (
    | { readonly kind: 'dataset'; readonly version?: string | undefined; readonly revision: number }
    | { readonly kind: 'record'; readonly version?: string | undefined }
    | Pick<QueryDescription, 'kind' | 'version' | 'revision' | 'digest'>
  );

/** The landing page of a release, or of `latest`; `root` is where the interface is. */
export function releaseUrl(root: string, name: string): string {
  return `${root}/release/${name}`;
}

/** What is cited: the DOI's address, or else the permanent one. */
export function identifierUrl({ doi, url }: { doi?: string | undefined; url: string }): string {
  return doi === undefined ? url : doiUrl(doi);
}

/** The media type of a file without parameters. */
export function mediaTypeOf({ format }: DataFile): string {
  return fileFormats[format].mediaType.replace(/;.*/, '');
}

/** The UTC date of a time, `2026-11-22`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function yearOf(time: Date): string {
  return time.toISOString().slice(0, 4);
}

/** What is cited beside title and address: the identifier of a release, or the number of the state; of a query its digest, too. */
export function edition(description: Cited): string | undefined {
  switch (description.kind) {
    case 'dataset':
      return stateName(description);
    case 'record':
      return description.version === undefined ? undefined : `Version ${description.version}`;
    case 'query':
      return `${stateName(description)}, digest ${description.digest}`;
  }
}

/** The identifier of a release, or the number of a state, in words. */
export function stateName({ version, revision }: Pick<QueryDescription, 'version' | 'revision'>): string {
  return version === undefined ? `Dataset revision ${revision}` : `Version ${version}`;
}

/** A license as an identifier of the SPDX list and its address, or as one of the two, as far as the text allows. */
export function licenseOf({ license }: { license: string }): { spdx?: string; url?: string } {
  if (/^https?:\/\/\S+$/.test(license)) return { url: license };
  return /^[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(license)
    ? { spdx: license, url: `https://spdx.org/licenses/${license}` }
    : {};
}

/** A text on one line: formats of lines end a value at a line break. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
