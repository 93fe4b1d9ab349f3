import { type FileFormatName, fileFormats } from '../catalog/file-formats.ts';
import type { DatasetFacts } from './dataset-facts.ts';
import { doiUrl } from './dataset-facts.ts';
import { isDoi, isWebAddress } from './doi.ts';
import type { FeatureFacts } from './feature-facts.ts';

export interface Paper {
  /** The normalized DOI, or the URL of a paper without one. */
  readonly doi: string;
  readonly title?: string | undefined;
}

export interface DataFile {
  readonly format: FileFormatName;
  /** Absolute. */
  readonly url: string;
  /** Present for files that never change. */
  readonly stored?: { readonly bytes: number; readonly sha256: string } | undefined;
}

export interface Variable {
  readonly feature: FeatureFacts;
  readonly min: number;
  readonly max: number;
}

export interface OtherRelease {
  readonly version: string;
  readonly url: string;
  readonly doi?: string | undefined;
}

interface Described {
  readonly facts: DatasetFacts;
  /** The title of the described object, not of the dataset. */
  readonly title: string;
  readonly description: string;
  /** The permanent URL: the landing page. */
  readonly url: string;
  /** The base URL of the service, without a trailing slash. */
  readonly root: string;
  /** Normalized. */
  readonly doi?: string | undefined;
  /** An SPDX identifier, the URL of a license, or another text. */
  readonly license: string;
  readonly issued: Date;
  readonly papers: readonly Paper[];
}

/** A release, or latest. */
export interface DatasetDescription extends Described {
  readonly kind: 'dataset';
  /** The identifier of a release; absent for latest. */
  readonly version?: string | undefined;
  readonly revision: number;
  readonly recordCount: number;
  readonly files: readonly DataFile[];
  readonly variables: readonly Variable[];
  readonly previous?: OtherRelease | undefined;
  readonly next?: OtherRelease | undefined;
}

/** One record of a release, or of latest. */
export interface RecordDescription extends Described {
  readonly kind: 'record';
  readonly recordId: number;
  /** The identifier of the release; absent for latest. */
  readonly version?: string | undefined;
  /** The approval time of the record revision. */
  readonly modified: Date;
  readonly values: readonly { readonly feature: FeatureFacts; readonly value: number }[];
  readonly dataset: { readonly url: string; readonly doi?: string | undefined };
  /** The URL of the record's JSON. */
  readonly dataUrl: string;
}

/** A public query with its records, which never change. */
export interface QueryDescription extends Described {
  readonly kind: 'query';
  readonly queryId: string;
  /** The identifier of the queried release; absent if latest was queried. */
  readonly version?: string | undefined;
  readonly revision: number;
  readonly recordCount: number;
  /** SHA-256 over the records; see docs/explore.md. */
  readonly digest: string;
  readonly files: readonly DataFile[];
  readonly dataset: { readonly url: string; readonly doi?: string | undefined };
}

export type Description = DatasetDescription | RecordDescription | QueryDescription;

export type Cited = Pick<Described, 'facts' | 'title' | 'url' | 'doi' | 'issued'> &
  (
    | { readonly kind: 'dataset'; readonly version?: string | undefined; readonly revision: number }
    | { readonly kind: 'record'; readonly version?: string | undefined }
    | Pick<QueryDescription, 'kind' | 'version' | 'revision' | 'digest'>
  );

export function releaseUrl(root: string, name: string): string {
  return `${root}/release/${name}`;
}

/** Returns the cited URL: that of the DOI, or else the permanent one. */
export function identifierUrl({ doi, url }: { doi?: string | undefined; url: string }): string {
  return doi === undefined ? url : doiUrl(doi);
}

export function paperUrl({ doi }: Pick<Paper, 'doi'>): string {
  return isDoi(doi) ? doiUrl(doi) : doi;
}

/** Returns whether the value of `doi` identifies a paper: a DOI or a URL, but no other text. */
export function canBeCited(doi: string): boolean {
  return isDoi(doi) || isWebAddress(doi);
}

export function mediaTypeOf({ format }: DataFile): string {
  return fileFormats[format].mediaType.replace(/;.*/, '');
}

/** Returns the UTC date, as in `2026-11-22`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function yearOf(time: Date): string {
  return time.toISOString().slice(0, 4);
}

/** Returns the edition in a citation: the version or dataset revision; for a query also its digest. */
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

export function stateName({ version, revision }: Pick<QueryDescription, 'version' | 'revision'>): string {
  return version === undefined ? `Dataset revision ${revision}` : `Version ${version}`;
}

/** Returns the SPDX identifier and the URL of a license if its text contains them. */
export function licenseOf({ license }: { license: string }): { spdx?: string; url?: string } {
  if (/^https?:\/\/\S+$/.test(license)) return { url: license };
  return /^[A-Za-z0-9][A-Za-z0-9.+-]*$/.test(license)
    ? { spdx: license, url: `https://spdx.org/licenses/${license}` }
    : {};
}

/** Joins a text to one line, for formats that end a value at a line break. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}
