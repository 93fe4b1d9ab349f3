import type { Description } from '../description.ts';

export function citationKey(description: Description): string {
  const { facts, version } = description;
  const words = facts.title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const parts = [
    ...(words ?? ['dataset']).slice(0, 4),
    ...(description.kind === 'record' ? [`record-${description.recordId}`] : []),
    ...(description.kind === 'query' ? [`query-${description.queryId}`] : []),
    version ?? (description.kind === 'record' ? 'latest' : `revision-${description.revision}`),
  ];
  return parts.join('-');
}
