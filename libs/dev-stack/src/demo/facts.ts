import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, member, text } from '../json-value.ts';
import { unexpectedResponse, type RetryingClient } from '../retrying-client.ts';
import { root } from '../root.ts';

/** Title, publisher and creators of a dataset, as JSON text for comparison. */
type Ownership = string;

function readDemoFacts(): unknown {
  return JSON.parse(readFileSync(join(root, 'demo', 'dataset.json'), 'utf8'));
}

/**
 * Reports whether a release has the title, publisher and creators of this installation, and they differ from those of the demo.
 * Returns false once an administrator has changed them.
 */
export async function lacksDemoFacts(client: RetryingClient, version: string): Promise<boolean> {
  const current = await ownershipAt(client, `/public/dataset/${version}/metadata`);
  return current !== ownershipOfDemo() && current === (await ownershipAt(client, '/public/dataset/metadata'));
}

export async function setDemoFacts(admin: RetryingClient, releaseId: number): Promise<void> {
  const path = `/admin/versions/${releaseId}`;
  const answer = await admin.send('PATCH', path, JSON.stringify({ dataset: readDemoFacts() }));
  if (answer.status !== 200) throw unexpectedResponse('PATCH', path, answer);
}

async function ownershipAt(client: RetryingClient, path: string): Promise<Ownership> {
  const answer = await client.send('GET', `${path}?format=datacite-json`);
  if (answer.status !== 200) throw unexpectedResponse('GET', path, answer);
  const { body } = answer;
  const [title] = array(member(body, 'titles'));
  return ownership(
    text(member(title, 'title')),
    text(member(member(body, 'publisher'), 'name')),
    array(member(body, 'creators')).map((creator) => text(member(creator, 'name'))),
  );
}

function ownershipOfDemo(): Ownership {
  const facts = readDemoFacts();
  const names = array(member(facts, 'creators')).map((creator) => text(member(creator, 'name')));
  return ownership(text(member(facts, 'title')), text(member(member(facts, 'publisher'), 'name')), names);
}

function ownership(title: string, publisher: string, creators: readonly string[]): Ownership {
  return JSON.stringify([title, publisher, creators]);
}
