import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { datasetFacts, facts, name, plain } from '@esd/api/dataset-facts';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import { SettingsError } from '@esd/service/config';

const sections = z
  .array(z.strictObject({ heading: name, paragraphs: z.array(plain(1, 5_000)).min(1).max(100) }))
  .max(100)
  .default([]);

/** The schema of `ESD_DATASET_FILE`. */
const datasetFile = facts.extend({
  operator: z
    .strictObject({ name, address: plain(1, 1_000).optional(), email: z.email().max(300).optional() })
    .optional(),
  about: sections,
  privacy: sections,
});

/** Parses the facts of a dataset from JSON text. Throws an Error that names `source` and each invalid member. */
export function parseDatasetFacts(text: string, source: string): DatasetFacts {
  return parseAs(datasetFacts, text, source);
}

function parseAs<Value>(schema: z.ZodType<Value>, text: string, source: string): Value {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${source} is not JSON.`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the root'}: ${message}`);
  throw new Error(`${source} does not describe a dataset: ${problems.join('; ')}.`);
}

/** Reads the facts of the dataset from a JSON file (`ESD_DATASET_FILE`). Throws a SettingsError for an invalid file. */
export function readDatasetFacts(file: string): DatasetFacts {
  return readDatasetFile(file).facts;
}

/** Reads the file of `readDatasetFacts`, also the facts about the operator. Throws a SettingsError for an invalid file. */
export function readDatasetFile(file: string): { facts: DatasetFacts; operatorFacts: OperatorFacts } {
  const source = `The file ${file} (ESD_DATASET_FILE)`;
  try {
    const { operator, about, privacy, ...described } = parseAs(datasetFile, readFileSync(file, 'utf8'), source);
    return { facts: described, operatorFacts: { operator, about, privacy } };
  } catch (cause) {
    const reason = Error.isError(cause) ? cause.message : String(cause);
    throw new SettingsError(reason.startsWith(source) ? reason : `${source} cannot be read: ${reason}`, { cause });
  }
}

export const datasetFileSettings = {
  ESD_DATASET_FILE: z
    .string()
    .min(1)
    .describe(
      'JSON file with the facts of the dataset: title, description, creators, publisher, contact, keywords, license, related works, operator, and texts for the pages /about and /privacy. docs/metadata.md describes its members.',
    ),
};
