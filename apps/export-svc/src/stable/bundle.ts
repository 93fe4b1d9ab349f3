import { crc32 } from 'node:zlib';
import { fileFormats } from '@esd/record/catalog/file-formats';
import type { DatasetDescription } from '@esd/record/metadata/description';
import { bibtex } from '@esd/record/metadata/formats/bibtex';
import { roCrate } from '@esd/record/metadata/formats/ro-crate';
import { citationText } from '@esd/record/metadata/formats/text';
import { textTag } from '@esd/service/http/entity-tag';
import { licenseText } from './license-text.ts';
import type { StableFile } from './stable-files.ts';
import { storedZip, type ZipEntry, type ZipPart } from './stored-zip.ts';

export type BundleContent = Buffer | StableFile;

export interface Bundle {
  /** The opaque part of the entity tag, which identifies the bytes. */
  tag: string;
  parts: ZipPart<BundleContent>[];
}

/** The RO-Crate metadata, first in the archive, so that a streaming reader gets them immediately. */
const CRATE = 'ro-crate-metadata.json';
const TEXTS = {
  manifest: {
    path: 'manifest.json',
    name: 'List of the files with checksums and columns',
    mediaType: 'application/json',
  },
  license: { path: 'LICENSE.txt', name: 'License', mediaType: 'text/plain' },
  citation: { path: 'CITATION.txt', name: 'How to cite', mediaType: 'text/plain' },
  bibtex: { path: 'citation.bib', name: 'Citation in BibTeX format', mediaType: 'application/x-bibtex' },
} as const;

/** Lays out an RO-Crate zip of the stored files, unchanged, and the current description. */
export async function bundle(
  description: DatasetDescription,
  manifest: string,
  files: readonly StableFile[],
): Promise<Bundle> {
  const described = {
    ...description,
    files: description.files.map((one) => {
      const file = files.find(({ format }) => format === one.format)?.file;
      return { ...one, stored: file && { bytes: file.bytes, sha256: file.sha256 } };
    }),
  };
  const texts: [path: string, text: string][] = [
    [CRATE, roCrate(described, { others: Object.values(TEXTS) })],
    [TEXTS.manifest.path, manifest],
    [TEXTS.license.path, await licenseText(description.license)],
    [TEXTS.citation.path, `${citationText(description)}\nAlso cite the papers of the records that you use.\n`],
    [TEXTS.bibtex.path, bibtex(description)],
  ];
  const entries: ZipEntry<BundleContent>[] = texts.map(([name, text]) => {
    const content = Buffer.from(text);
    return { name, bytes: content.length, crc32: crc32(content), content };
  });
  for (const content of files) {
    const { bytes, crc32: sum } = content.file;
    entries.push({ name: fileFormats[content.format].fileName, bytes, crc32: sum, content });
  }
  return { tag: textTag(JSON.stringify(texts)), parts: storedZip(entries, description.issued) };
}
