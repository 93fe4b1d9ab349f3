import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { z } from 'zod';
import type { RequestOptions } from '@esd/testing/http';
import { png } from '@esd/testing/png';
import { tiff } from '@esd/testing/tiff';
import type { Api } from './api.ts';

const WIDTH = 40;
const HEIGHT = 30;

/** Returns a PNG of gray pixels with these rows. */
function pngOf(rows: readonly Buffer[]): Buffer {
  const head = { width: rows[0]?.length ?? 0, height: rows.length, pixels: 'grey', bits: 8 } as const;
  return png(head, deflateSync(Buffer.concat(rows.flatMap((row) => [Buffer.of(0), row]))));
}

/** Returns a PNG of 40 by 30 gray pixels, different for each shade from 0 to 255. */
export function greyPng(shade: number): Buffer {
  return pngOf(Array.from({ length: HEIGHT }, () => Buffer.alloc(WIDTH, shade)));
}

/** Returns a PNG of random noise of about `edge` times `edge` bytes, which does not compress. */
export function noisePng(edge: number): Buffer {
  return pngOf(Array.from({ length: edge }, () => randomBytes(edge)));
}

/** Returns a TIFF of 40 by 30 dark pixels of 16 bits, as a microscope writes it, with a pixel size of 2.5 nm. */
export function microscopeTiff(): Buffer {
  const samples = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, at) => 1_000 + at);
  const header = Buffer.from('[Scan]\r\nPixelWidth=2.5e-009\r\nPixelHeight=2.5e-009\r\n\0');
  return tiff([{ width: WIDTH, height: HEIGHT, samples, tags: [[34_682, 2, header]] }]);
}

/** Returns a form body with a file and texts, and its content type. */
export function imageForm(
  file: Buffer,
  texts: Readonly<Record<string, string>> = {},
): Required<Pick<RequestOptions, 'headers'>> & { body: Buffer } {
  const boundary = 'boundary-of-a-test';
  const part = (head: string, data: Buffer) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      data,
      Buffer.from('\r\n'),
    ]);
  const parts = Object.entries(texts).map(([name, text]) => part(`name="${name}"`, Buffer.from(text)));
  const image = part('name="file"; filename="image.png"\r\nContent-Type: image/png', file);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...parts, image, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

const uploaded = z.looseObject({ imageId: z.uuid() });
let shade = 0;

/** Uploads a file, or a small image that no other test has, and returns its id. */
export async function uploadImage(
  api: Api,
  texts: Readonly<Record<string, string>> = {},
  file?: Buffer,
): Promise<string> {
  shade = (shade + 1) % 256;
  const { body, headers } = imageForm(file ?? greyPng(shade), texts);
  const answer = await api.post('/images/upload', body, { headers });
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${answer.text}`);
  return uploaded.parse(answer.json).imageId;
}
