import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { member } from '../json-value.ts';
import { unexpectedResponse, type RetryingClient } from '../retrying-client.ts';
import { root } from '../root.ts';

/** Returns whether the list of papers is empty. */
export async function hasNoPapers(client: RetryingClient): Promise<boolean> {
  return (await totalOf(client, '/metadata/papers')) === 0;
}

/** Imports the papers of the demo, unless an entry of the list of papers has ever changed. */
export async function importDemoPapers(admin: RetryingClient): Promise<void> {
  if ((await totalOf(admin, '/admin/metadata/changes?list=papers')) > 0) return;
  const papers = readFileSync(join(root, 'demo', 'papers.csl.json'), 'utf8');
  const answer = await admin.send('POST', '/metadata/papers/import', papers);
  if (answer.status !== 200) throw unexpectedResponse('POST', '/metadata/papers/import', answer);
}

async function totalOf(client: RetryingClient, path: string): Promise<number> {
  const answer = await client.send('GET', path);
  if (answer.status !== 200) throw unexpectedResponse('GET', path, answer);
  return Number(member(answer.body, 'total'));
}
