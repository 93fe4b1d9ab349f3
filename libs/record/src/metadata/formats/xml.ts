/** An element of an XML document with unescaped texts. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly content: string | readonly XmlElement[];
}

/** Creates an element with a text or child elements; undefined attributes are omitted. */
export function element(
  name: string,
  attributes: XmlElement['attributes'],
  content: XmlElement['content'],
): XmlElement {
  return { name, attributes, content };
}

export function xmlDocument(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, '')}`;
}

function write({ name, attributes, content }: XmlElement, indent: string): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(value).replaceAll(/[\n\t]/g, ' ')}"`],
  );
  const open = `${indent}<${name}${pairs.join('')}>`;
  if (typeof content === 'string') return `${open}${escaped(content)}</${name}>\n`;
  return `${open}\n${content.map((child) => write(child, `${indent}  `)).join('')}${indent}</${name}>\n`;
}

// XML 1.0 §2.2: characters outside Char are not allowed, not even as references.
const NO_CHARACTER = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

function escaped(text: string): string {
  return text.replaceAll(NO_CHARACTER, '\uFFFD').replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character] ?? '');
}
