import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { demoDatasetFile } from '@esd/testing/demo';
import { request } from '@esd/testing/http';
import { startStack, type TestStack } from '@esd/testing/stack';
import { z } from 'zod';

const HOSTILE = '</p><img src=x onerror=alert(1)>';
const OPERATOR = { name: 'Institute <b>', address: '1 Main Street\nTown', email: 'data@example.org' };

let stack: TestStack;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-operator-'));
  const file = join(folder, 'dataset.json');
  const facts = z.looseObject({}).parse(JSON.parse(await readFile(demoDatasetFile, 'utf8')));
  const texts = {
    operator: OPERATOR,
    about: [{ heading: 'Funding', paragraphs: ['Paid by all.', HOSTILE] }],
    privacy: [{ heading: HOSTILE, paragraphs: ['Backups are deleted after 35 days.'] }],
  };
  await writeFile(file, JSON.stringify({ ...facts, ...texts }));
  stack = await startStack({
    empty: true,
    env: {
      ESD_DATASET_FILE: file,
      ESD_AUDIT_ADDRESS_DAYS: '41',
      ESD_REFRESH_TOKEN_HOURS: '7',
      ESD_REMEMBERED_REFRESH_TOKEN_DAYS: '12',
      ESD_KEEP_FEEDBACK_DAYS: '43',
      ESD_KEEP_REJECTED_DAYS: '1',
      ESD_KEEP_SUBMITTER_DAYS: '0',
    },
  });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const read = async (path: string): Promise<string> => {
  const { status, text } = await request(`${stack.url}${path}`, { headers: { accept: 'text/html' } });
  expect([path, status]).toEqual([path, 200]);
  expect(text).not.toContain('<img');
  return text;
};

test('/privacy has the periods of the settings of each service', async () => {
  const text = await read('/privacy');
  expect(text).toContain('Audit trail: 41 days.');
  expect(text).toContain('ends 7 hours after its last use, or 12 days if');
  expect(text).toContain('43 days after it was closed or last changed.');
  expect(text).toContain('never public: 1 day after the decision.');
  expect(text).toContain('Your details without an account: until an administrator erases them.');
});

test('/privacy and /about have the operator and its texts', async () => {
  for (const path of ['/privacy', '/about']) {
    const text = await read(path);
    expect(text).toContain('<b>Institute &lt;b></b><span class="lines">1 Main Street\nTown</span>');
    expect(text).toContain('<a href="mailto:data@example.org">data@example.org</a>');
    expect(text).toContain('&lt;/p>&lt;img src=x onerror=alert(1)>');
  }
  expect(await read('/about')).toMatch(/<h2 id="operator-0">Funding<\/h2><p[^>]*>Paid by all\.<\/p>/);
  expect(await read('/privacy')).toContain('Backups are deleted after 35 days.');
});

test('pages of an empty dataset say so', async () => {
  expect(await read('/about')).toContain('The dataset has no records yet.');
  expect(await read('/data-dictionary')).toContain('Tip–collector distance');
});

test('releases do not contain the operator', async () => {
  const { text } = await request(`${stack.url}/public/dataset/metadata?format=schema-org`);
  expect(text).not.toContain('Main Street');
});
