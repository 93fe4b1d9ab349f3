import type { ResearchMetadata } from '@esd/record/catalog/catalog';

type Entry = [name: string, value: unknown];

/** Splits research metadata into a common part, which applies to every record, and a separate part for each record. */
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
