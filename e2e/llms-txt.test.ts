import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { readLlmsTxt } from './support/llms-txt.ts';

const demo = apiAt((await sharedStack()).url);

describe('/llms.txt', () => {
  test('states the size, the license and the newest release, and each of its URLs responds with 200', async () => {
    const text = await readLlmsTxt(demo.url);
    expect(text).toContain(
      '> 809 electrospinning experiments (648 distinct) from 57 papers, under the license CC-BY-4.0.',
    );
    expect(text).toContain('The newest release is v1.0.0 with 809 experiments.');
    expect(text).toContain('- 161 of 809 records repeat another record of the same paper');
    expect(text).toContain('- 32 experiments report that fiber formation was not stable, and 32 of them report no');
  });

  test('revalidates, and exists only at the root', async () => {
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const { headers, text } = await demo.get('/llms.txt', plain);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const again = await demo.get('/llms.txt', { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await demo.head('/llms.txt', plain);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))]);
    const moved = await demo.get('/api/llms.txt');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/llms.txt']);
    expectError(await demo.get('/llms.txt?x=1'), 400, 'INVALID_PARAMETER', /"x"/);
    expectError(await demo.post('/llms.txt', {}), 405, 'METHOD_NOT_ALLOWED');
  });
});
