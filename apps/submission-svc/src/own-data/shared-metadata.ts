import type { ResearchMetadata } from '@esd/record/catalog/catalog';

type Entry = [name: string, value: unknown];

/**
 * Divides the research metadata of a submission's records into what all of them have in common and what each has of its
 * own, so that each own part put over the common one gives what was there before, and an edit of the common part
 * reaches every record.
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
