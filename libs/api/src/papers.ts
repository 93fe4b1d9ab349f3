import { citationFiles } from '@esd/record/papers/citation-files';
import { z } from 'zod';
import { integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from './paged-list.ts';
import { paperDoi, paperEntry } from './paper.ts';

export const CSL_TYPE = citationFiles['csl-json'].mediaType;

const searchedText = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text !== '' && text.length <= 2_000, 'must have 1 to 2,000 characters');

const papersQuery = z.object({
  doi: searchedText.optional().meta({ type: 'string', description: 'The DOI in any spelling.' }),
  query: searchedText
    .optional()
    .meta({ type: 'string', description: 'Any part of the title, an author, the journal or the DOI, in any case.' }),
  skip: integerText(0, Number.MAX_SAFE_INTEGER).optional().meta({ type: 'integer', minimum: 0, default: 0 }),
  limit: integerText(1, 1000).optional().meta({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  format: z
    .enum(['csl-json'])
    .optional()
    .meta({ description: 'The whole list as a CSL-JSON array. Without other parameters.' }),
});

const imported = z.strictObject({
  created: z.int().min(0),
  updated: z.int().min(0),
  unchanged: z.int().min(0),
});

const missingPaper = z.strictObject({
  doi: paperDoi,
  records: z.int().min(1),
  attempts: z.int().min(0).meta({ description: 'The number of lookups at the resolver.' }),
  lastAt: z.iso.datetime().optional(),
  nextAt: z.iso.datetime().optional().meta({ description: 'The time of the next lookup; absent if there is none.' }),
  problem: z.string().optional().meta({ description: 'Why the last lookup failed.' }),
});

export const listPapers = operation({
  method: 'get',
  path: '/metadata/papers',
  caller: 'ignored',
  describe: {
    tag: 'Reference lists',
    summary: 'List papers',
    details: 'The bibliographic facts of the papers that records name, as the list has them. Ordered by `doi`.',
    returns: 'A page of the list; with `format=csl-json`, the whole list as a CSL-JSON array.',
    otherTypes: [CSL_TYPE],
    answerHeaders: pagedHeaders,
    revalidates: true,
    example: { parameters: { limit: 5 } },
  },
  query: papersQuery,
  response: pagedResponse(paperEntry),
});

export const importPapers = operation({
  method: 'post',
  path: '/metadata/papers/import',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Reference lists',
    summary: 'Import papers',
    details:
      'Requires the role ADMIN. Adds and replaces all papers of a CSL-JSON array, or none if one has a problem. An import takes one dataset revision, or none if nothing changed. The body can also be `application/vnd.citationstyles.csl+json`.',
    returns: 'The numbers of new, replaced and equal entries.',
    errors: ['FORBIDDEN'],
    example: { body: [{ DOI: '10.1000/example', title: 'An example', author: [{ family: 'Doe', given: 'J.' }] }] },
  },
  response: imported,
});

export const listMissingPapers = operation({
  method: 'get',
  path: '/admin/metadata/papers/missing',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Reference lists',
    summary: 'List papers without an entry',
    details:
      'Requires the role ADMIN. The papers of the latest dataset that the list lacks, ordered by `doi`, with their lookups at the resolver.',
    returns: 'A page of papers.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
  },
  query: pagedQuery,
  response: pagedResponse(missingPaper),
});
