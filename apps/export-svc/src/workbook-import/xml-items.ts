import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { ServiceError } from '@esd/service/errors';
import { unreadableFile } from './unreadable-file.ts';

/** What is told of the elements of a document; their names are without the prefix, which writers choose freely. */
export interface XmlHandlers {
  open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads an XML document (UTF-8, without a document type) as it comes, and gives what the handlers emit on the way.
 * Throws INVALID_REQUEST for what is no such document.
 */
export async function* xmlItems<Item>(
  part: string,
  source: Readable,
  handlersFor: (emit: (item: Item) => void) => XmlHandlers,
): AsyncGenerator<Item> {
  let items: Item[] = [];
  const { open, text, close } = handlersFor((item) => items.push(item));
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('a document type is not read');
  });
  parser.on('opentag', ({ name, attributes }) => {
    open?.(localName(name), attributes);
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.on('closetag', ({ name }) => close?.(localName(name)));
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of source) {
      parser.write(utf8.decode(asBytes(chunk), { stream: true }));
      yield* items;
      items = [];
    }
    parser.write(utf8.decode()).close();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : unreadableFile(`its part ${part} is damaged.`, cause);
  } finally {
    source.destroy();
  }
  yield* items;
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array || Buffer.isBuffer(chunk)) return chunk;
  throw new Error('a stream of something else than bytes');
}
