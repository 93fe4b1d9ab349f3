import { type DatasetFacts, workRelations } from '@esd/record/metadata/dataset-facts';
import { isDoi, normalizeDoi } from '@esd/record/metadata/doi';
import { normalizeOrcid } from '@esd/record/metadata/orcid';
import { isPlainText, trimmedText } from '@esd/record/validate/plain-text';
import { z } from 'zod';

/** Trimmed plain text of `least` to `most` characters. */
export function plain(least: number, most: number) {
  return z
    .string()
    .overwrite(trimmedText)
    .min(least)
    .max(most)
    .refine(
      (text) => isPlainText(text) && !text.includes('\r'),
      'must not contain control characters or lone surrogates',
    );
}

export const name = plain(1, 300);
const url = z.url({ protocol: /^https?$/ }).max(2_000);

const orcid = z.string().transform((text, context) => {
  const bare = normalizeOrcid(text);
  if (bare !== undefined) return bare;
  context.addIssue({ code: 'custom', message: 'must be an ORCID iD such as 0000-0002-1825-0097' });
  return z.NEVER;
});

const creator = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Organization'), name, url: url.optional() }),
  z.strictObject({
    type: z.literal('Person'),
    givenName: name,
    familyName: name,
    orcid: orcid.optional(),
    affiliation: name.optional(),
  }),
]);

const relation = z.enum(workRelations);

const relatedWork = z.discriminatedUnion('type', [
  z.strictObject({
    relation,
    type: z.literal('DOI'),
    identifier: z
      .string()
      .max(300)
      .refine(isDoi, 'must be a DOI such as 10.5281/zenodo.1234567')
      .transform(normalizeDoi),
  }),
  z.strictObject({
    relation,
    type: z.literal('arXiv'),
    identifier: z.string().regex(/^arXiv:\d{4}\.\d{4,5}(?:v\d+)?$/, 'must be an identifier such as arXiv:2603.27841'),
  }),
  z.strictObject({ relation, type: z.literal('URL'), identifier: url }),
]);

export const facts = z.strictObject({
  title: plain(1, 300),
  description: plain(50, 5_000).meta({
    description: 'From 50 to 5,000 characters, as search engines for datasets require.',
  }),
  creators: z.array(creator).min(1).max(1_000).meta({ description: 'The authors of the dataset, in order.' }),
  publisher: z.strictObject({ name, url: url.optional() }),
  contact: z
    .url({ protocol: /^(https|mailto)$/ })
    .optional()
    .meta({ description: '`mailto:…` or `https://…`.' }),
  keywords: z.array(plain(1, 100)).min(1).max(50),
  license: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,99}$/, 'must be an identifier of the SPDX license list such as CC-BY-4.0')
    .meta({ description: 'An identifier of the SPDX license list.' }),
  related: z.array(relatedWork).max(100).default([]).meta({ description: 'Works that the dataset is related to.' }),
});

/** The schema of the facts of each release. */
export const datasetFacts: z.ZodType<DatasetFacts> = facts;
