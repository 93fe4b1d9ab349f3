import type { ApiExample } from '@esd/pages/api-docs';
import { fileFormatNames, fileFormats } from '@esd/record/catalog/file-formats';
import { pythonCalls } from './python-calls.ts';

/** The example request of an operation. */
export interface ExampleRequest {
  /** The `operationId`. */
  id: string;
  /** In capitals. */
  method: string;
  /** With parameters in braces. */
  path: string;
  parameters: readonly { name: string; place: 'path' | 'query'; value: string }[];
  /** Undefined without a body. */
  body: unknown;
  /** Whether the body is a form with a file. */
  isForm: boolean;
  credential: 'none' | 'optional' | 'required';
  /** Whether the request must name the origin of the service. */
  needsOrigin: boolean;
  /** Whether each successful response is JSON. */
  returnsJson: boolean;
  /** The media type of the response if it is a file to save. */
  fileType: string | undefined;
}

/** Returns the example of an operation in each language. `root` is the public URL of the service. */
export function examplesOf(request: ExampleRequest, root: string): ApiExample[] {
  return [
    { language: 'curl', code: curl(request, root) },
    { language: 'Python', code: python(request, root) },
    { language: 'JavaScript', code: javaScript(request, root) },
  ];
}

/** Returns the path with the values of its parameters. */
export function filledPath({ path, parameters }: Pick<ExampleRequest, 'path' | 'parameters'>): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const found = parameters.find((one) => one.place === 'path' && one.name === name);
    return found ? encodeURIComponent(found.value) : whole;
  });
}

const PLAIN = /^[\w.,:/-]+$/;

function curl(request: ExampleRequest, root: string): string {
  const { method, body, isForm, credential, needsOrigin, fileType } = request;
  const query = queryOf(request);
  const isFile = fileType !== undefined;
  const isRead = method === 'GET';
  const url = `${root}${filledPath(request)}${isRead || query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`}`;
  const hasBody = body !== undefined;
  const first = [
    'curl',
    ...(isRead && query.length > 0 ? ['-G'] : []),
    ...(isRead || (method === 'POST' && hasBody) ? [] : ['-X', method]),
    // Redirects lead to the file of the newest state.
    ...(isFile ? ['-L', '-O', '-J'] : []),
    shellQuoted(url),
  ].join(' ');
  const lines = [
    ...(needsOrigin ? [`-H ${shellQuoted(`Origin: ${new URL(root).origin}`)}`] : []),
    ...(credential === 'required' ? ['-H "Authorization: Bearer $ESD_TOKEN"'] : []),
    ...(isRead
      ? query.map(([name, value]) =>
          PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellQuoted(`${name}=${value}`)}`,
        )
      : []),
    ...(hasBody && isForm
      ? Object.entries(membersOf(body)).map(([name, value]) =>
          name === 'file' ? `-F file=@${value}` : `-F ${shellQuoted(`${name}=${value}`)}`,
        )
      : []),
    ...(hasBody && !isForm ? ["-H 'Content-Type: application/json'", `-d ${shellQuoted(jsonText(body))}`] : []),
  ];
  return [first, ...lines].join(' \\\n  ');
}

function python(request: ExampleRequest, root: string): string {
  const { id, method, parameters, body, credential } = request;
  const call = pythonCalls[id];
  if (call !== undefined) {
    const values = new Map<string, unknown>(parameters.map(({ name, value }) => [name, parsed(value)]));
    if (typeof body === 'object' && body !== null)
      for (const [name, value] of Object.entries(body)) values.set(name, value);
    values.set('body', body);
    const filled = call.replaceAll(/\{(\w+)\}/g, (_, name: string) => literal(values.get(name), PYTHON));
    // These methods write a file.
    const isPrinted = !/^client\.(?:export_file|template)\(/.test(filled);
    const hasToken = credential !== 'none';
    return [
      ...(hasToken ? ['import os', ''] : []),
      'from esd_client import Client',
      '',
      `client = Client("${root}"${hasToken ? ', token=os.environ["ESD_TOKEN"]' : ''})`,
      isPrinted ? `print(${filled})` : filled,
    ].join('\n');
  }
  return pythonRequest(request, root, method.toLowerCase());
}

function pythonRequest(request: ExampleRequest, root: string, method: string): string {
  const { body, isForm, credential, needsOrigin, returnsJson, fileType } = request;
  const isFile = fileType !== undefined;
  const needsToken = credential === 'required';
  const query = queryOf(request);
  const lines = [
    `"${root}${filledPath(request)}",`,
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query), PYTHON, '    ')},`] : []),
    ...(needsOrigin ? [`headers={"Origin": "${new URL(root).origin}"},`] : []),
    ...(needsToken ? ['headers={"Authorization": f"Bearer {os.environ[\'ESD_TOKEN\']}"},'] : []),
    ...(body !== undefined && !isForm ? [`json=${literal(body, PYTHON, '    ')},`] : []),
    'timeout=60,',
  ];
  return [
    ...(needsToken ? ['import os'] : []),
    ...(isFile ? ['from pathlib import Path'] : []),
    ...(needsToken || isFile ? [''] : []),
    'import requests',
    '',
    ...(lines.length === 2
      ? [`response = requests.${method}(${lines.join(' ').replace(/,$/, '')})`]
      : [`response = requests.${method}(`, ...lines.map((line) => `    ${line}`), ')']),
    'response.raise_for_status()',
    isFile
      ? `Path("${fileName(request)}").write_bytes(response.content)`
      : `print(response.${returnsJson ? 'json()' : 'text'})`,
  ].join('\n');
}

function javaScript(request: ExampleRequest, root: string): string {
  const { method, body, isForm, credential, needsOrigin, returnsJson, fileType } = request;
  const query = queryOf(request);
  const isFile = fileType !== undefined;
  const isJson = body !== undefined && !isForm;
  const headers = [
    ...(needsOrigin ? [`Origin: '${new URL(root).origin}'`] : []),
    ...(credential === 'required' ? ['Authorization: `Bearer ${process.env.ESD_TOKEN}`'] : []),
    ...(isJson ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(isJson ? [`body: JSON.stringify(${literal(body, JAVASCRIPT, '  ')}),`] : []),
    ...(isForm ? ['body: form,'] : []),
  ];
  const url = `${root}${filledPath(request)}`;
  const address = query.length > 0 ? `\`${url}?\${query}\`` : quoted(url);
  return [
    ...(isForm ? ["import { openAsBlob } from 'node:fs';"] : []),
    ...(isFile ? ["import { writeFile } from 'node:fs/promises';"] : []),
    ...(isForm || isFile ? [''] : []),
    ...(query.length > 0
      ? ['const query = new URLSearchParams({', ...query.map(([name, value]) => `  ${name}: ${quoted(value)},`), '});']
      : []),
    ...(isForm
      ? [
          'const form = new FormData();',
          ...Object.entries(membersOf(body)).map(([name, value]) =>
            name === 'file'
              ? `form.set('file', await openAsBlob('${value}'), '${value}');`
              : `form.set('${name}', ${quoted(value)});`,
          ),
        ]
      : []),
    ...(options.length === 0
      ? [`const response = await fetch(${address});`]
      : [`const response = await fetch(${address}, {`, ...options.map((line) => `  ${line}`), '});']),
    'if (!response.ok) throw new Error(await response.text());',
    isFile
      ? `await writeFile('${fileName(request)}', Buffer.from(await response.arrayBuffer()));`
      : `console.log(await response.${returnsJson ? 'json' : 'text'}());`,
  ].join('\n');
}

function queryOf({ parameters }: ExampleRequest): [name: string, value: string][] {
  return parameters.flatMap(({ name, place, value }): [string, string][] => (place === 'query' ? [[name, value]] : []));
}

function membersOf(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
}

/** Returns a name for the file in the response: that in the path, else one with the extension of its type. */
function fileName(request: ExampleRequest): string {
  const last = filledPath(request).split('/').at(-1) ?? '';
  if (last.includes('.')) return last;
  const format = request.parameters.find(({ name }) => name === 'format')?.value;
  const { fileType = '' } = request;
  const known = fileFormatNames.find((name) => fileFormats[name].mediaType.startsWith(fileType));
  return `${last}.${format ?? known ?? fileType.replace(/^.*\//, '')}`;
}

function jsonText(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : JSON.stringify(value, undefined, 2);
}

function shellQuoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The characters that a literal in single quotes cannot contain unescaped. */
const ESCAPED = /['\\\p{Cc}\u2028\u2029]/u;

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `'${text}'`;
}

/** Returns the value of a parameter: the object of a JSON text, a number, a list of names, or the text. */
function parsed(text: string): unknown {
  if (text.startsWith('{')) return JSON.parse(text);
  if (/^\w+(,\w+)+$/.test(text)) return text.split(',');
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** The form of JSON values in a language. */
interface Style {
  words: Readonly<Record<'null' | 'true' | 'false', string>>;
  text: (text: string) => string;
  name: (name: string) => string;
  /** The space within the braces of a line. */
  space: string;
  indent: string;
}

const PYTHON: Style = {
  words: { null: 'None', true: 'True', false: 'False' },
  text: pythonText,
  name: pythonText,
  space: '',
  indent: '    ',
};
const JAVASCRIPT: Style = {
  words: { null: 'null', true: 'true', false: 'false' },
  text: quoted,
  name: (name) => (/^[a-z]\w*$/i.test(name) ? name : quoted(name)),
  space: ' ',
  indent: '  ',
};
const LINE = 80;

/** Writes a JSON value in a language. A long one has a line for each member, below `indent`. */
function literal(value: unknown, style: Style, indent = ''): string {
  if (value === undefined || value === null) return style.words.null;
  if (typeof value === 'boolean') return style.words[`${value}`];
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const inner = indent + style.indent;
  const members = (within: string): string[] =>
    isList
      ? value.map((item: unknown) => literal(item, style, within))
      : Object.entries(value).map(([name, member]) => `${style.name(name)}: ${literal(member, style, within)}`);
  const inLine = members('').join(', ');
  const space = isList || inLine === '' ? '' : style.space;
  const line = `${open}${space}${inLine}${space}${close}`;
  if (indent.length + line.length <= LINE && !line.includes('\n')) return line;
  return `${open}\n${members(inner)
    .map((member) => `${inner}${member},\n`)
    .join('')}${indent}${close}`;
}

function pythonText(text: string): string {
  return text.includes('"') && !ESCAPED.test(text) ? `'${text}'` : JSON.stringify(text);
}
