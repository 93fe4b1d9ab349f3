import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { blackPng, manyPagesTiff, manyScansJpeg, noisyPng } from '@esd/testing/hostile-images';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { encodeImage } from '../../src/upload/encode-image.ts';
import { grayImage } from '../images.ts';
import { type Media, PROOF, startMedia } from '../media.ts';

const HOSTILE = '198.51.100.66';
const HONEST = '192.0.2.7';

let media: Media;
beforeAll(async () => {
  // Files may take three quarters, 750 MB; the share of a client is half of that.
  media = await startMedia(1_000);
});
afterAll(() => media.stop());

test('slow images of one client wait for each other, and other clients still get their turn', async () => {
  // 0.2 MB and a second of work each.
  const file = blackPng({ width: 4_500, height: 4_500, pixels: 'rgba', bits: 16 });
  const small = await grayImage(100, 100).png().toBuffer();
  const large = blackPng({ width: 6_000, height: 4_000, pixels: 'grey', bits: 8 });
  const order: string[] = [];
  const upload = async (what: string, image: Buffer, client: string) => {
    const { status, headers } = await media.upload(image, {}, client);
    if (status === 201) order.push(what);
    return [status, headers.get('retry-after') !== null] as const;
  };
  const attack = Array.from({ length: 14 }, () => upload('hostile', file, HOSTILE));
  // Some are refused because the client has used its share of the queue.
  const refused = await Promise.any(
    attack.map(async (answer) => ((await answer)[0] === 429 ? answer : Promise.reject(new Error('accepted')))),
  );
  expect(refused).toEqual([429, true]);
  const honest = [upload('small', small, HONEST), upload('large', large, '192.0.2.8')];
  expect((await Promise.all(honest)).map(([status]) => status)).toEqual([201, 201]);
  expect(order.filter((one) => one === 'hostile').length).toBeLessThanOrEqual(3);
  const answers = await Promise.all(attack);
  // Accepted, too slow, beyond the share of the client, or queued for too long; never an internal error.
  for (const [status, retries] of answers) {
    expect([
      [201, false],
      [400, false],
      [429, true],
      [503, true],
    ]).toContainEqual([status, retries]);
  }
});

describe('a file that would occupy a decoder beyond its time limit is refused by its header', () => {
  test.each<[string, () => Buffer]>([
    ['800 MB of pixels in 0.8 MB', () => blackPng({ width: 10_000, height: 10_000, pixels: 'rgba', bits: 16 })],
    ['ten million rows of one pixel', () => blackPng({ width: 1, height: 10_000_000, pixels: 'grey', bits: 8 })],
    ['rows of ten million pixels', () => blackPng({ width: 10_000_000, height: 10, pixels: 'grey', bits: 8 })],
    ['a JPEG of 20,000 scans', () => manyScansJpeg(4_000, 4_000, 20_000)],
    ['a TIFF of 150,000 pages', () => manyPagesTiff(150_000)],
    ['a TIFF of 1,001 pages', () => manyPagesTiff(1_001)],
  ])('%s', async (_name, make) => {
    const { status, json } = await media.upload(make(), {}, HONEST);
    expect([status, json]).toMatchObject([
      413,
      { code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/\d.*[.;]/) },
    ]);
  });

  test('unless it is merely unusual', async () => {
    for (const file of [manyScansJpeg(400, 400, 20), manyPagesTiff(900)]) {
      expect((await media.upload(file, {}, HONEST)).status).toBe(201);
    }
  });
});

test('an image that takes too long is a client error, regardless of the size that is being encoded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'esd-media-slow-'));
  try {
    const file = join(folder, 'upload');
    // Limits are rounded up to a second; no machine encodes this much noise in one.
    await writeFile(file, noisyPng({ width: 7_000, height: 7_000, pixels: 'grey', bits: 8 }, 3));
    const encode = (until: number) => encodeImage(file, folder, { page: 0, space: 'b-w' }, 1, until);
    for (const ms of [0, 500]) {
      await expect(encode(Date.now() + ms)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('too long'),
      });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('uploads that never end', () => {
  const open: ClientRequest[] = [];
  /** Statuses of uploads that were refused instead of staying open. */
  const refused: number[] = [];
  const begin = async (client: string, bytes: number): Promise<void> => {
    const request = httpRequest(`${media.url}/images/upload`, {
      method: 'POST',
      headers: {
        ...PROOF,
        [METADATA.clientIp]: client,
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': bytes,
        Expect: '100-continue',
      },
    });
    request.on('error', () => undefined).on('response', ({ statusCode = 0 }) => refused.push(statusCode));
    request.flushHeaders();
    open.push(request);
    // Sent in the same tick in which the upload is counted or refused.
    await once(request, 'continue');
    request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n');
  };
  const small = () => grayImage(100, 100).png().toBuffer();
  const leave = () => {
    for (const request of open.splice(0)) request.destroy();
  };
  /** Waits until uploads of this client are accepted again. */
  const untilAccepted = async (client: string): Promise<void> => {
    const image = await small();
    while ((await media.upload(image, {}, client)).status === 429) await sleep(20);
  };
  afterEach(() => {
    leave();
    expect(refused.splice(0)).toEqual([]);
  });
  /** Runs a scenario while all uploads are open; repeats it if a slow machine let some of them time out. */
  const whileOpen = async (client: string, scenario: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        await scenario();
        if (refused.length === 0) return;
      } catch (error) {
        if (!refused.includes(503)) throw error;
      }
      leave();
      refused.length = 0;
      await untilAccepted(client);
    }
  };

  test('occupy no decoder, and at most the client’s share of the temporary storage', () =>
    whileOpen(HOSTILE, async () => {
      // 360 of 375 MB.
      for (let at = 0; at < 18; at += 1) await begin(HOSTILE, 20_000_000);
      // A file that is not an image is refused once it has arrived completely.
      const large = Buffer.alloc(18_000_000);
      expect((await media.upload(large, {}, HOSTILE)).status).toBe(429);
      expect((await media.upload(large, {}, HONEST)).status).toBe(415);
    }));

  test('use at most the client’s share of uploads, until the client disconnects', async () => {
    // Another client: the service may still count the closed uploads of the previous test.
    const client = '198.51.100.67';
    await whileOpen(client, async () => {
      for (let at = 0; at < 128; at += 1) await begin(client, 1_000);
      const { status, headers, json } = await media.upload(await small(), {}, client);
      expect([status, headers.get('retry-after'), json]).toMatchObject([429, '5', { code: 'RATE_LIMITED' }]);
      expect((await media.upload(await small(), {}, HONEST)).status).toBe(201);
    });
    leave();
    await untilAccepted(client);
  });

  test('end when their client disconnects before they are read', async () => {
    const client = '198.51.100.68';
    for (let at = 0; at < 128; at += 1) {
      await begin(client, 1_000);
      leave();
    }
    await untilAccepted(client);
  });
});
