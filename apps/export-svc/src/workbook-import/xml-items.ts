import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { ServiceError } from '@esd/service/errors';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { unreadableFile } from './unreadable-file.ts';

// The limits are far beyond real files. They bound the memory for a part of 16 MB and the size of its allocations.
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 100;
/** The maximum length of a name, attribute or text. A cell has at most 32,767 characters, each at most 7 in XML. */
export const MAX_TEXT_LENGTH = 1_000_000;

/** The callbacks for the elements of a document. Names have no prefix, because prefixes are arbitrary. */
export interface XmlHandlers {
  open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Parses an XML document (UTF-8, without a document type) as a stream, and yields the items that the handlers emit.
 * Throws INVALID_REQUEST for an invalid document, and beyond the limits of depth, attributes and text length.
 */
export async function* xmlItems<Item>(
  part: string,
  source: Readable,
  handlersFor: (emit: (item: Item) => void) => XmlHandlers,
): AsyncGenerator<Item> {
  let items: Item[] = [];
  const handlers = handlersFor((item) => items.push(item));
  const parser = boundedParser(part, handlers);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of source) {
      parser.write(utf8.decode(asBytes(chunk), { stream: true }));
      yield* items;
      items = [];
    }
    parser.write(utf8.decode());
    parser.close();
  } catch (cause) {
    throw cause instanceof ServiceError || cause instanceof UnreadableSheet
      ? cause
      : unreadableFile(`its part ${part} is damaged.`, cause);
  } finally {
    source.destroy();
  }
  yield* items;
}

/** Adds limits to the saxes parser, which has none. */
function boundedParser(part: string, { open, text, close }: XmlHandlers): { write(xml: string): void; close(): void } {
  const parser = new SaxesParser();
  let depth = 0;
  let attributeCount = 0;
  /** The number of characters since the last event, which is the size of the internal buffer of saxes. */
  let buffered = 0;
  const refuse = (what: string): never => {
    throw unreadableFile(`its part ${part} ${what}.`);
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('document types are not supported');
  });
  parser.on('opentagstart', () => {
    buffered = 0;
    attributeCount = 0;
    depth += 1;
    if (depth > MAX_DEPTH) refuse(`has more than ${MAX_DEPTH} nested elements`);
  });
  parser.on('attribute', () => {
    buffered = 0;
    attributeCount += 1;
    if (attributeCount > MAX_ATTRIBUTES) refuse(`has an element with more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    open?.(localName(name), attributes);
  });
  const handOver = (characters: string): void => {
    buffered = 0;
    text?.(characters);
  };
  parser.on('text', handOver);
  parser.on('cdata', handOver);
  parser.on('closetag', ({ name }) => {
    buffered = 0;
    depth -= 1;
    close?.(localName(name));
  });
  return {
    write: (xml) => {
      buffered += xml.length;
      parser.write(xml);
      if (buffered > MAX_TEXT_LENGTH) refuse(`has a text of more than ${MAX_TEXT_LENGTH} characters`);
    },
    close: () => {
      parser.close();
    },
  };
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array || Buffer.isBuffer(chunk)) return chunk;
  throw new Error('the stream contains something other than bytes');
}
