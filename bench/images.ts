/**
 * Measures uploads of SEM-like images of about 5 MB, in sequence and 20 concurrently; 20 concurrent uploads of the most expensive images;
 * and reads of an image compared with a bare server that sends the same bytes.
 *
 *   node bench/images.ts [--count 20] [--seconds 4]
 */
import { parseArgs } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { z } from 'zod';
import { startStack, type TestStack } from '@esd/testing/stack';
import { startBareServer } from './bare-server.ts';
import { inRounds, loadColumns, quantile } from './load.ts';
import { processMemory } from './process-cost.ts';
import { type Part, partMarkdown } from './report.ts';
import { greyTiff, HEIGHT, semLike, WIDTH } from './sem-image.ts';

const AT_ONCE = 20;
const BARE = 'bare node:http';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '20' }, seconds: { type: 'string', default: '4' } },
});
const count = z.coerce.number().int().min(1).parse(values.count);
const seconds = z.coerce.number().positive().parse(values.seconds);
const uploaded = z.object({ contentUrl: z.string() });

const stack = await startStack({ empty: true, env: { ESD_UNATTACHED_CLIENT_MB: '100000' } });
try {
  const parts: Part[] = [];
  for (const measure of [uploads, costly, reads]) {
    const part = await measure(stack);
    parts.push(part);
    console.log(partMarkdown(part));
  }
  console.log(JSON.stringify(parts));
} finally {
  await stack.stop();
}

async function uploads({ url, pid }: TestStack): Promise<Part> {
  for (let index = 0; index < 3; index += 1) await upload(url, semLike(index));
  const alone: number[] = [];
  for (let index = 0; index < count; index += 1) alone.push((await upload(url, semLike(100 + index))).ms);
  alone.sort((a, b) => a - b);
  const images = Array.from({ length: AT_ONCE }, (_, index) => semLike(1_000 + index));
  const memory = watchMemory(pid('media-svc') ?? 0);
  const started = performance.now();
  const together = (await Promise.all(images.map((image) => upload(url, image)))).map(({ ms }) => ms);
  const took = (performance.now() - started) / 1_000;
  const { before, most } = await memory.end();
  together.sort((a, b) => a - b);
  return {
    title: `Uploads of SEM-like images, ${WIDTH} × ${HEIGHT} gray, ${(images[0]?.length ?? 0) / 1e6} MB`,
    notes: [`${count} in sequence, then ${AT_ONCE} concurrently; all images differ.`],
    rows: [
      { what: 'in sequence', 'uploads/s': (1_000 * count) / sum(alone), ...times(alone) },
      {
        what: `${AT_ONCE} concurrent`,
        'uploads/s': AT_ONCE / took,
        ...times(together),
        'media-svc RSS before, MB': before,
        'max RSS, MB': most,
      },
    ],
    targets: [],
  };
}

async function costly({ url, pid }: TestStack): Promise<Part> {
  const kinds = {
    'PNG of 900 megapixels': zeroPng(30_000, 30_000, 0),
    'PNG of 100 megapixels': zeroPng(10_000, 10_000, 0),
    'PNG of 33 megapixels, interlaced': zeroPng(5_700, 5_800, 1),
    'TIFF that claims 3,600 megapixels': greyTiff(60_000, 60_000, Buffer.alloc(100)),
    'truncated PNG': zeroPng(9_000, 9_000, 0).subarray(0, 20_000),
  };
  const rows = [];
  const memory = watchMemory(pid('media-svc') ?? 0);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE / Object.keys(kinds).length }, () => Object.entries(kinds))
      .flat()
      .map(async ([kind, image]) => ({ kind, ...(await upload(url, image, 'any status')) })),
  );
  const { before, most } = await memory.end();
  for (const kind of Object.keys(kinds)) {
    const its = answers.filter((answer) => answer.kind === kind);
    rows.push({
      what: kind,
      statuses: its.map(({ status }) => status).join(' '),
      'max ms': Math.max(...its.map(({ ms }) => ms)),
    });
  }
  return {
    title: `${AT_ONCE} concurrent uploads of expensive images`,
    notes: [`RSS of media-svc: ${Math.round(before)} MB before, at most ${Math.round(most)} MB.`],
    rows,
    targets: [{ what: 'memory of media-svc grew by, MB', measured: most - before, atMost: 200 }],
  };
}

async function reads({ url }: TestStack): Promise<Part> {
  const { contentUrl } = await upload(url, semLike(7));
  const answer = await fetch(`${url}${contentUrl}`);
  const bare = await startBareServer({ headers: { 'content-type': 'image/png' }, body: await answer.bytes() });
  try {
    const same = { connections: 2, seconds };
    const loads = await inRounds(3, [
      { name: BARE, url: bare.url, ...same },
      { name: 'content', url: `${url}${contentUrl}`, ...same },
      { name: 'thumbnail', url: `${url}${contentUrl}?size=thumb`, ...same },
    ]);
    const perSecond = (name: string): number => loads.get(name)?.perSecond ?? NaN;
    return {
      title: 'Reads of an image',
      notes: ['2 connections, median of 3 alternating rounds; the bare server sends the same bytes from memory.'],
      rows: [...loads].map(([server, load]) => ({
        server,
        'bytes per response': Math.round(load.bytes),
        ...loadColumns(load),
      })),
      targets: [
        { what: 'content, share of bare node:http', measured: perSecond('content') / perSecond(BARE), atLeast: 0.5 },
      ],
    };
  } finally {
    await bare.stop();
  }
}

async function upload(url: string, image: Buffer, wanted: '201' | 'any status' = '201') {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(image)]));
  const started = performance.now();
  const answer = await fetch(`${url}/images/upload`, {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(60_000),
  });
  const json: unknown = await answer.json();
  const ms = performance.now() - started;
  if (wanted === '201' && answer.status !== 201) throw new Error(`upload: ${answer.status} ${JSON.stringify(json)}`);
  const { contentUrl } = uploaded.partial().parse(json);
  return { status: answer.status, ms, contentUrl: contentUrl ?? '' };
}

/** Creates a PNG of zeros, which compress by a factor of 1,000. */
function zeroPng(width: number, height: number, interlace: 0 | 1): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, interlace], 8);
  // The seven passes of an interlaced PNG have more rows.
  const zeros = Math.min((1 + 3 * width) * height + interlace * 8 * height, 310_000_000);
  const pixels = deflateSync(Buffer.alloc(zeros), { level: 1 });
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function watchMemory(pid: number) {
  const first = processMemory(pid);
  let most = 0;
  const timer = setInterval(() => {
    void processMemory(pid).then(({ rss }) => {
      most = Math.max(most, rss);
    });
  }, 50);
  return {
    end: async () => {
      clearInterval(timer);
      return { before: (await first).rss, most };
    },
  };
}

function times(sorted: readonly number[]) {
  return { 'p50 ms': quantile(sorted, 0.5), 'p99 ms': quantile(sorted, 0.99) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
