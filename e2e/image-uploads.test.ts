import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { type Answer, apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { greyPng, imageForm, microscopeTiff } from './support/images.ts';

const stack = await sharedStack();
const api = apiAt(stack.url);

const uploaded = z.strictObject({
  imageId: z.uuid(),
  imageType: z.string().optional(),
  imageDefinition: z.record(z.string(), z.unknown()).optional(),
  width: z.literal(40),
  height: z.literal(30),
  stretched: z.literal(true).optional(),
  bytes: z.int().min(60),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  contentUrl: z.string(),
  warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
});

const send = (file: Buffer, texts: Record<string, string> = {}, base = ''): Promise<Answer> => {
  const { body, headers } = imageForm(file, texts);
  return api.post(`${base}/images/upload`, body, { headers });
};
const upload = async (texts: Record<string, string> = {}, base = '') => {
  const answer = await send(greyPng(77), texts, base);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
  return uploaded.parse(answer.json);
};

describe('POST /images/upload', () => {
  test('accepts an image without an account and returns its description', async () => {
    for (const base of ['', '/api']) {
      const imageDefinition = { pixelSize: 2.5, detector: 'SE2' };
      const { imageId, ...image } = await upload(
        { imageType: 'SEM', imageDefinition: JSON.stringify(imageDefinition) },
        base,
      );
      expect(image).toMatchObject({ imageType: 'SEM', imageDefinition, warnings: [] });
      expect(image.contentUrl).toBe(`/images/${imageId}/content`);
    }
  });

  test('of a microscope keeps its 16 bits, names the source of its scale, and stretches its smaller sizes', async () => {
    const { imageId, ...image } = uploaded.parse((await send(microscopeTiff())).json);
    expect(image).toMatchObject({
      imageDefinition: { pixelSize: 2.5, pixelSizeUnit: 'nm' },
      stretched: true,
      warnings: [
        {
          path: 'imageDefinition.pixelSize',
          code: 'PIXEL_SIZE_FROM_FILE',
          message: '2.5 nm per pixel, from the FEI header.',
        },
      ],
    });
    // The bits per sample in the header of the PNG.
    const bitsOf = async (query: string) => {
      const content = await fetch(`${stack.url}/images/${imageId}/content${query}`);
      return Buffer.from(await content.arrayBuffer())[24];
    };
    expect([await bitsOf(''), await bitsOf('?size=medium'), await bitsOf('?size=thumb')]).toEqual([16, 8, 8]);
  });

  test.each<[string, () => Promise<Answer>, number, string]>([
    ['JSON', () => api.post('/images/upload', {}), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'no boundary',
      () => api.post('/images/upload', 'x', { headers: { 'content-type': 'multipart/form-data' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a form that ends too early',
      () =>
        api.post('/images/upload', imageForm(greyPng(1)).body.subarray(0, 150), {
          headers: imageForm(greyPng(1)).headers,
        }),
      400,
      'INVALID_REQUEST',
    ],
    ['an SVG', () => send(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['more than 20 MB', () => send(Buffer.alloc(20 * 1024 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE'],
    [
      'a bad token',
      () =>
        api.post('/images/upload', imageForm(greyPng(1)).body, { headers: imageForm(greyPng(1)).headers, bearer: 'x' }),
      401,
      'TOKEN_INVALID',
    ],
  ])('rejects %s', async (_name, ask, status, code) => {
    expectError(await ask(), status, code);
  });

  test('survives clients that disconnect in the middle', async () => {
    const { port, hostname } = new URL(stack.url);
    const { headers, body } = imageForm(greyPng(5));
    for (let index = 0; index < 5; index += 1) {
      const socket = connect(Number(port), hostname);
      const head = `POST /images/upload HTTP/1.1\r\nHost: x\r\nContent-Type: ${headers['content-type'] ?? ''}\r\nContent-Length: 9999\r\n\r\n`;
      await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, 120)]), resolve));
      socket.destroy();
    }
    await upload();
  });
});

describe('GET /images/{imageId}/content', () => {
  test('is a PNG, whole or in ranges, that is not cached before its record is public', async () => {
    const { imageId, contentUrl, bytes } = await upload();
    for (const path of [contentUrl, `/api${contentUrl}`, `${contentUrl}?size=thumb`, `${contentUrl}?size=medium`]) {
      const answer = await api.get(path);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(bytes),
        // No public record has it.
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'content-disposition': `inline; filename="${imageId}.png"`,
        'accept-ranges': 'bytes',
      });
      const tag = answer.headers.get('etag') ?? '';
      expect((await api.get(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
      const part = await api.get(path, { headers: { range: 'bytes=1-3' } });
      expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'PNG', `bytes 1-3/${bytes}`]);
      const beyond = await api.get(path, { headers: { range: 'bytes=999999-' } });
      expectError(beyond, 416, 'RANGE_NOT_SATISFIABLE');
      expect(beyond.headers.get('content-range')).toBe(`bytes */${bytes}`);
      expect((await api.head(path)).headers.get('content-length')).toBe(String(bytes));
    }
  });

  test('rejects unknown images and lists the valid sizes', async () => {
    expectError(await api.get(`/images/${randomUUID()}/content`), 404, 'IMAGE_NOT_FOUND');
    expectError(await api.get('/images/1/content'), 404, 'IMAGE_NOT_FOUND');
    const { contentUrl } = await upload();
    expectError(await api.get(`${contentUrl}?size=small`), 400, 'INVALID_PARAMETER', /thumb/);
    expectError(await api.get(`${contentUrl}?Size=thumb`), 400, 'INVALID_PARAMETER', /size/);
  });
});

test('DELETE of an unattached image needs only its id, and leaves another upload of the same image unchanged', async () => {
  const [one, two] = [await upload(), await upload()];
  expect(one.sha256).toBe(two.sha256);
  const answer = await api.delete(`/images/${one.imageId}`);
  expect([answer.status, answer.json]).toEqual([200, { success: true, message: expect.any(String) }]);
  expectError(await api.get(one.contentUrl), 404, 'IMAGE_NOT_FOUND');
  expectError(await api.delete(`/images/${one.imageId}`), 404, 'IMAGE_NOT_FOUND');
  expect((await api.get(two.contentUrl)).status).toBe(200);
});
