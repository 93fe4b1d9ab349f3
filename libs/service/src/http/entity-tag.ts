import { createHash } from 'node:crypto';

/** What an If-None-Match or If-Match header says: `*`, or the opaque parts of its tags without their quotes. */
export type EntityTags = '*' | readonly string[];

// RFC 9110 §8.8.3: an opaque tag is any visible character but the quote, and bytes above ASCII.
const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y;
const SEPARATOR = /[ \t]*(?:,[ \t]*)+/y;

/**
 * Reads a header that lists entity tags (RFC 9110 §13.1). Weak marks are dropped, because If-None-Match compares
 * weakly. Undefined when the header is absent or not such a list; a header that cannot be read is then ignored.
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

/** Whether one of the tags is `opaque`, by weak comparison; `*` is every tag. */
export function matchesEntityTag(tags: EntityTags | undefined, opaque: string): boolean {
  return tags !== undefined && (tags === '*' || tags.includes(opaque));
}

/** A short name for a text inside an entity tag; different texts have different ones for all that matters (80 bits). */
export function textTag(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}
