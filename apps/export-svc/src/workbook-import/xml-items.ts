import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { ServiceError } from '@esd/service/errors';
import { UnreadableSheet } from '@esd/record/sheet/unreadable-sheet';
import { unreadableFile } from './unreadable-file.ts';

// Far beyond what any program writes; within them a part of 16 MB takes a bounded memory, in pieces that are small.
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 100;
/** Most characters of a name, an attribute, a text. A cell has at most 32,767, each at most seven in XML. */
export const MAX_TEXT_LENGTH = 1_000_000;

/** What is reported of the elements of a document; their names are without the prefix, which writers choose freely. */
export interface XmlHandlers {
  open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads an XML document (UTF-8, without a document type) as it comes, and gives what the handlers emit on the way.
 * Throws INVALID_REQUEST for what is no such document, or nests deeper, has more attributes or longer texts than any
 * workbook.
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

/** The parser of saxes, which has no bounds, with those above. */
function boundedParser(part: string, { open, text, close }: XmlHandlers): { write(xml: string): void; close(): void } {
  const parser = new SaxesParser();
  let depth = 0;
  let attributeCount = 0;
  /** Characters since saxes last handed something over, which is what it holds. */
  let held = 0;
  const refuse = (what: string): never => {
    throw unreadableFile(`its part ${part} ${what}.`);
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('a document type is not read');
  });
  parser.on('opentagstart', () => {
    held = 0;
    attributeCount = 0;
    depth += 1;
    if (depth > MAX_DEPTH) refuse(`has more than ${MAX_DEPTH} elements inside each other`);
  });
  parser.on('attribute', () => {
    held = 0;
    attributeCount += 1;
    if (attributeCount > MAX_ATTRIBUTES) refuse(`has an element with more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    open?.(localName(name), attributes);
  });
  const handOver = (characters: string): void => {
    held = 0;
    text?.(characters);
  };
  parser.on('text', handOver);
  parser.on('cdata', handOver);
  parser.on('closetag', ({ name }) => {
    held = 0;
    depth -= 1;
    close?.(localName(name));
  });
  return {
    write: (xml) => {
      held += xml.length;
      parser.write(xml);
      if (held > MAX_TEXT_LENGTH) refuse(`has a text of more than ${MAX_TEXT_LENGTH} characters`);
    },
    close: () => {
      parser.close();
    },
  };
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array || Buffer.isBuffer(chunk)) return chunk;
  throw new Error('a stream of something else than bytes');
}
