import type { FeedbackImage } from '@esd/proto/esd/submission/v1/feedback';
import { ServiceError } from '@esd/service/errors';
import type { imageTypes } from '@esd/api/feedback';

const MAX_BYTES = 5 * 1024 * 1024;
const DATA_URL = /^data:[\w.+/;= -]{0,100};base64,/i;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

/**
 * Decodes an image from Base64 (RFC 4648 §4); the head of a `data:` URL and line breaks are allowed. Its first bytes
 * decide its type. Throws VALIDATION_FAILED unless it is a PNG, JPEG or WebP image, and PAYLOAD_TOO_LARGE beyond 5 MiB.
 */
export function readFeedbackImage(imageBase64: string): FeedbackImage {
  const text = imageBase64.replace(DATA_URL, '');
  const content = Buffer.from(text, 'base64');
  const encoded = content.toString('base64');
  // The decoder skips characters that are not Base64; encoding again reveals them.
  if (encoded !== text && encoded !== withoutSpace(text)) {
    throw refusal('INVALID_FORMAT', '`imageBase64` must be Base64 with padding.');
  }
  if (content.length > MAX_BYTES) {
    throw new ServiceError(
      'PAYLOAD_TOO_LARGE',
      `The image must have at most ${MAX_BYTES} bytes; it has ${content.length}.`,
    );
  }
  const mediaType = typeOf(content);
  if (!mediaType) throw refusal('UNKNOWN_IMAGE_TYPE', '`imageBase64` must contain a PNG, JPEG or WebP image.');
  return { mediaType, content };
}

/** Removes spaces and line breaks. A regular expression would take 250 ms for a hostile text. */
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

// Signatures: PNG 3rd edition §5.2, ISO/IEC 10918-1 B.1.1.3 (SOI and the marker after it), RFC 9649 §2.4.
function typeOf(content: Buffer): (typeof imageTypes)[number] | undefined {
  if (content.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  if (content.subarray(0, JPEG.length).equals(JPEG)) return 'image/jpeg';
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP';
  return isRiff ? 'image/webp' : undefined;
}

function refusal(code: string, message: string): ServiceError {
  const errors = [{ path: 'imageBase64', code, message }];
  return new ServiceError('VALIDATION_FAILED', 'The body has a problem.', { details: { errors, errorCount: 1 } });
}
