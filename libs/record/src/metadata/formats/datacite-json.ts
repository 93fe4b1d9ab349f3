import type { Description } from '../description.ts';
import { dataCite } from './datacite.ts';
import { json } from './json.ts';

/** Writes DataCite 4.5 as JSON. Without a DOI, `url` is the only identifier. */
export function dataCiteJson(description: Description): string {
  const { doi, url } = description;
  const identity = doi === undefined ? {} : { doi };
  return json({ ...identity, url, ...dataCite(description), schemaVersion: 'http://datacite.org/schema/kernel-4' });
}
