import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { member } from '../json-value.ts';
import { unexpectedResponse, type RetryingClient } from '../retrying-client.ts';
import { root } from '../root.ts';

/** Imports the papers of the demo, unless an entry of the list of papers has ever changed. */
export async function importDemoPapers(admin: RetryingClient): Promise<void> {
  const path = '/admin/metadata/changes?list=papers';
  const changes = await admin.send('GET', path);
  if (changes.status !== 200) throw unexpectedResponse('GET', path, changes);
  if (Number(member(changes.body, 'total')) > 0) return;
  const papers = readFileSync(join(root, 'demo', 'papers.csl.json'), 'utf8');
  const answer = await admin.send('POST', '/metadata/papers/import', papers);
  if (answer.status !== 200) throw unexpectedResponse('POST', '/metadata/papers/import', answer);
}
