import { createHash } from 'node:crypto';

/** The value of an If-None-Match or If-Match header: `*`, or the opaque parts of its tags without quotes. */
export type EntityTags = '*' | readonly string[];

// RFC 9110 §8.8.3: an opaque tag consists of visible characters except the quote, and bytes above ASCII.
const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR = /[ \t]*(?:,[ \t]*)+/y;

/**
 * Parses a list of entity tags (RFC 9110 §13.1). Drops weakness marks, because If-None-Match uses weak comparison.
 * Returns undefined for an absent or invalid header; an invalid If-None-Match is ignored, an invalid If-Match is an error.
 */
export function parseEntityTags(header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  for (let position = 0; position < text.length;) {
    TAG.lastIndex = position;
    const match = TAG.exec(text);
    if (match?.[1] === undefined) return undefined;
    tags.push(match[1]);
    position = TAG.lastIndex;
    if (position === text.length) return tags;
    SEPARATOR.lastIndex = position;
    if (!SEPARATOR.test(text)) return undefined;
    position = SEPARATOR.lastIndex;
  }
  return undefined;
}

/** Returns whether one of the tags equals `opaque`, by weak comparison; `*` matches every tag. */
export function matchesEntityTag(tags: EntityTags | undefined, opaque: string): boolean {
  return tags !== undefined && (tags === '*' || tags.includes(opaque));
}

/** Returns an 80-bit hash of a text, for use in an entity tag. */
export function textTag(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}
