import type { FeedbackImage } from '@esd/proto/esd/submission/v1/feedback';
import { ServiceError } from '@esd/service/errors';
import { DetailedError } from './errors.ts';

/** Media types that an image of feedback may have. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

const LARGEST = 5 * 1024 * 1024;
const DATA_URL = /^data:[\w.+/;= -]{0,100};base64,/i;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

/**
 * The image that a text in Base64 (RFC 4648 §4) holds, with or without the head of a `data:` URL before it and with
 * line breaks in it. Its type is what its first bytes say. Throws VALIDATION_FAILED for a text that is no Base64 or
 * holds no PNG, JPEG or WebP, and PAYLOAD_TOO_LARGE beyond 5 MiB.
 */
export function readFeedbackImage(imageBase64: string): FeedbackImage {
  const text = imageBase64.replace(DATA_URL, '');
  const content = Buffer.from(text, 'base64');
  const encoded = content.toString('base64');
  // The decoder skips what is no Base64; encoding shows it.
  if (encoded !== text && encoded !== withoutSpace(text)) {
    throw refusal('INVALID_FORMAT', 'must be Base64 with its padding');
  }
  if (content.length > LARGEST) {
    throw new ServiceError('PAYLOAD_TOO_LARGE', `The image has ${content.length} bytes; it may have ${LARGEST}.`);
  }
  const mediaType = typeOf(content);
  if (!mediaType) throw refusal('UNKNOWN_IMAGE_TYPE', 'must be a PNG, JPEG or WebP image');
  return { mediaType, content };
}

/** A text without spaces and line breaks; a pattern would need a quarter of a second for a hostile one. */
function withoutSpace(text: string): string {
  const bytes = Buffer.from(text);
  let length = 0;
  for (const byte of bytes) {
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) continue;
    bytes[length] = byte;
    length += 1;
  }
  return bytes.toString('utf8', 0, length);
}

// The signatures: PNG 3rd edition §5.2, ISO/IEC 10918-1 B.1.1.3 (SOI and the marker after it), RFC 9649 §2.4.
function typeOf(content: Buffer): (typeof imageTypes)[number] | undefined {
  if (content.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  if (content.subarray(0, JPEG.length).equals(JPEG)) return 'image/jpeg';
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP';
  return isRiff ? 'image/webp' : undefined;
}

function refusal(code: string, message: string): DetailedError {
  const errors = [{ path: 'imageBase64', code, message }];
  return new DetailedError('VALIDATION_FAILED', 'The body has a problem.', { errors, errorCount: 1 });
}
