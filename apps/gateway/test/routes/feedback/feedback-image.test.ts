import { describe, expect, test } from '@jest/globals';
import { readFeedbackImage } from '../../../src/routes/feedback/feedback-image.ts';

const LARGEST = 5 * 1024 * 1024;
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('the rest of it')]);
const jpeg = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from('JFIF')]);
const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WEBPVP8 ')]);

describe('a feedback image', () => {
  test.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
  ])('is recognized as %s by its first bytes', (mediaType, content) => {
    expect(readFeedbackImage(content.toString('base64'))).toEqual({ mediaType, content });
  });

  test.each([
    ['the head of a data URL', `data:image/png;base64,${png.toString('base64')}`],
    ['the head of a data URL that names another type', `data:image/gif;charset=utf-8;base64,${png.toString('base64')}`],
    ['line breaks', png.toString('base64').replaceAll(/(.{8})/g, '$1\r\n')],
  ])('is accepted with %s', (_, text) => {
    expect(readFeedbackImage(text)).toEqual({ mediaType: 'image/png', content: png });
  });

  test('is accepted with at most 5 MiB', () => {
    const large = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]).toString('base64');
    expect(readFeedbackImage(large(LARGEST)).content).toHaveLength(LARGEST);
    expect(() => readFeedbackImage(large(LARGEST + 1))).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining(String(LARGEST)) }),
    );
  });
});

describe('readFeedbackImage rejects', () => {
  const refusal = (code: string) =>
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      details: { errors: [{ path: 'imageBase64', code, message: expect.any(String) }], errorCount: 1 },
    });

  test.each([
    ['plain text', 'not an image!'],
    ['the base64url alphabet', Buffer.from('ffd8fffbff', 'hex').toString('base64url')],
    ['Base64 without its padding', png.toString('base64').replaceAll('=', '')],
    ['padding in the middle', `${'='.repeat(100)}x`],
    ['a data URL without Base64', 'data:image/png,abc'],
  ])('%s', (_, text) => {
    expect(() => readFeedbackImage(text)).toThrow(refusal('INVALID_FORMAT'));
  });

  test.each([
    ['GIF', Buffer.from('GIF89a')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a RIFF file that is not WebP', Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WAVE')])],
    ['the beginning of a signature', png.subarray(0, 7)],
    ['a signature that is not at the start', Buffer.concat([Buffer.from(' '), png])],
  ])('%s, regardless of the claimed type', (_, content) => {
    expect(() => readFeedbackImage(`data:image/png;base64,${content.toString('base64')}`)).toThrow(
      refusal('UNKNOWN_IMAGE_TYPE'),
    );
  });
});

test('a hostile text is rejected quickly', () => {
  const started = process.cpuUsage();
  for (const text of ['='.repeat(7e6) + 'x', 'data:'.repeat(1e6), ' '.repeat(7e6), 'A'.repeat(7e6 + 1)]) {
    expect(() => readFeedbackImage(text)).toThrow();
  }
  // CPU time, because other processes may use the CPU. A non-linear algorithm takes minutes.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(20_000);
});
