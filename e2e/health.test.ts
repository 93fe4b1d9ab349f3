import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { eventually } from '@esd/testing/eventually';
import { readiness } from './support/shapes.ts';

const api = apiAt((await sharedStack()).url);

test('GET /health: the process is alive', async () => {
  for (const base of ['', '/api']) {
    const answer = await api.get(`${base}/health`, { headers: { authorization: 'Bearer not-a-token' } });
    expect([answer.status, answer.json]).toEqual([200, { status: 'UP' }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

test('GET /ready: each dependency by name, all up', async () => {
  for (const base of ['', '/api']) {
    // On a busy machine, a check of a dependency can exceed its limit.
    const answer = await eventually(
      () => api.get(`${base}/ready`, { headers: { authorization: 'Bearer not-a-token' } }),
      ({ text }) => !text.includes('"down"'),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(readiness.parse(answer.json)).toEqual({
      ready: true,
      dependencies: {
        'dataset-svc': 'up',
        'identity-svc': 'up',
        'submission-svc': 'up',
        'media-svc': 'up',
        'export-svc': 'up',
      },
      // The disk of the machine that runs the tests may be full.
      warnings: expect.any(Array),
    });
  }
});

test.each(['/health', '/ready'])('HEAD %s', async (path) => {
  const answer = await api.head(path);
  expect([answer.status, answer.text]).toEqual([200, '']);
});
