import type { ResearchMetadata } from '@esd/record/catalog/catalog';

type Entry = [name: string, value: unknown];

/**
 * Splits the research metadata of records into a common part and an own part of each record. An own part merged over the common
 * part gives the original; an edit of the common part applies to every record.
 */
export function shareMetadata(records: readonly ResearchMetadata[]): {
  common: ResearchMetadata;
  own: ResearchMetadata[];
} {
  const [first = {}, ...others] = records;
  const common: ResearchMetadata = pick(first, ([name, value]) =>
    others.every((other) => Reflect.get(other, name) === value),
  );
  return { common, own: records.map((record) => pick(record, ([name]) => !Object.hasOwn(common, name))) };
}

function pick(from: ResearchMetadata, keeps: (entry: Entry) => boolean): ResearchMetadata {
  return Object.fromEntries(Object.entries(from).filter(keeps));
}
