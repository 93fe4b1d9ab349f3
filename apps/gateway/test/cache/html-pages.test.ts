import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { demoDatasetFile } from '@esd/testing/demo';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { closeAll, get, startGateway, startUpstream } from '../upstream-servers.ts';

afterAll(closeAll);

const context = {
  positions: [],
  ofPaper: { total: 1, records: 1 },
  sameSolution: { total: 0, records: [] },
  repeats: [],
  unexplained: null,
  warnings: [],
  nearest: null,
};
const HTML = { accept: 'text/html' };

test('a page is rendered once per representation, and again for a new dataset state or a changed release', async () => {
  let revision = 7;
  const change: { doi: string | undefined } = { doi: undefined };
  let reads = 0;
  const { port } = await startUpstream({
    dataset: {
      getHead: () => Promise.resolve({ state: { datasetId: 'one', revision, recordCount: 1 } }),
      getRecord: ({ recordId }) => {
        reads += 1;
        return Promise.resolve({
          state: { datasetId: 'one', revision, recordCount: 1 },
          recordJson: Buffer.from(`{"recordId":${recordId},"researchMetadata":{"doi":"10.1234/take-${reads}"}}`),
          normalizedJson: Buffer.from('{}'),
          unexplainedJson: Buffer.from('null'),
          recordRevision: 1,
          publishedAt: new Date(0),
          firstPublishedAt: new Date(0),
          versions: [],
          withdrawn: undefined,
        });
      },
      explore: () =>
        Promise.resolve({
          answersJson: [Buffer.from(JSON.stringify(context))],
          state: undefined,
          total: 1,
          recordsJson: Buffer.alloc(0),
          chosenJson: Buffer.alloc(0),
          publications: [],
        }),
      getRecordHistory: () => Promise.resolve({ revisions: [] }),
    },
    releases: {
      listReleases: () =>
        Promise.resolve({
          releases: [
            {
              id: 1,
              jobId: 'job',
              identifier: 'v1.0.0',
              releaseState: ReleaseState.RELEASE_STATE_FROZEN,
              factsJson: readFileSync(demoDatasetFile, 'utf8'),
              state: { datasetId: 'one', revision: 5, recordCount: 1 },
              createdAt: new Date(0),
              files: [],
              digest: 'x',
              ...change,
            },
          ],
        }),
    },
  });
  const { url } = await startGateway({ ports: [port] });
  const read = (headers: Record<string, string> = HTML) => get(`${url}/record/17`, { headers });
  /** Reads until the cached state of the dataset has expired. */
  const untilMade = async (times: number): Promise<string> => {
    for (;;) {
      const { text } = await read();
      if (reads >= times) return text;
      await sleep(5);
    }
  };

  const first = await read();
  expect(first.text).toContain('10.1234/take-1');
  for (const encoding of ['identity', 'gzip', 'br']) {
    const again = await read({ ...HTML, 'accept-encoding': encoding });
    expect([again.status, again.text === first.text, reads]).toEqual([200, true, 1]);
  }
  const revalidated = await read({ ...HTML, 'if-none-match': first.headers.get('etag') ?? '' });
  expect([revalidated.status, reads]).toEqual([304, 1]);

  for (let times = 0; times < 2; times++)
    expect((await read({ accept: 'application/json' })).text).toContain('10.1234/take-2');
  expect(reads).toBe(2);
  expect((await read()).text).toContain('10.1234/take-1');

  revision += 1;
  expect(await untilMade(3)).toContain('10.1234/take-3');
  change.doi = '10.5281/zenodo.1';
  expect(await untilMade(4)).toContain('10.1234/take-4');
  expect((await read()).text).toContain('10.1234/take-4');
  expect(reads).toBe(4);
});
