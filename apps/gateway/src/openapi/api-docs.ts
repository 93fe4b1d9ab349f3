import { z } from 'zod';
import type {
  ApiGroup,
  ApiLine,
  ApiOperation,
  ApiParameter,
  ApiStructure,
  ApiValue,
  DocsGroupPage,
  DocsPage,
  TryIt,
} from '@esd/pages/api-docs';
import { tagSlug } from '@esd/api/operation';
import { type ExampleRequest, examplesOf, filledPath } from './examples.ts';
import { allowedValues, flatField, flatValue, type JsonSchema, jsonSchema } from './flat-schema.ts';

/** The pages of the API documentation. */
export interface ApiDocs {
  /** Returns the operations whose method, path, or summary contains each word of a text; all of them for an empty text. */
  index(search: string): DocsPage;
  /** Returns a group with examples for the service at `root`; undefined if there is no such group. */
  group(slug: string, root: string): DocsGroupPage | undefined;
}

const JSON_TYPE = 'application/json';

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  description: z.string().optional(),
  example: z.union([z.string(), z.number()]).optional(),
  schema: jsonSchema,
});
const content = z.record(z.string(), z.object({ schema: jsonSchema, example: z.unknown().optional() }));
const operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string().default(''),
  'x-rate-limit': z.string().optional(),
  'x-callers': z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ required: z.boolean().default(false), content }).optional(),
  responses: z.record(
    z.string(),
    z.object({
      description: z.string(),
      headers: z.record(z.string(), z.object({ description: z.string() })).default({}),
      content: content.default({}),
    }),
  ),
});
/** The part of an OpenAPI document that the pages show. */
const openApi = z.object({
  info: z.object({ description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), jsonSchema) }),
});

type Operation = z.output<typeof operation> & { method: string; path: string };

/** Derives the API documentation from an OpenAPI document. */
export function apiDocs(document: object): ApiDocs {
  const { info, tags, paths, components } = openApi.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => ({ ...one, method: method.toUpperCase(), path })),
  );
  const groups = tags.map(({ name, description }) => ({
    slug: tagSlug(name),
    name,
    about: description,
    operations: operations.filter((one) => one.tags[0] === name).sort(byPath),
  }));
  return {
    index: (search) => {
      const words = search
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
      const matches = ({ method, path, summary }: Operation): boolean => {
        const text = `${method} ${path} ${summary}`.toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return {
        kind: 'docs',
        search,
        groups: groups
          .map((group): ApiGroup => ({ ...group, operations: group.operations.filter(matches).map(lineOf) }))
          .filter((group) => group.operations.length > 0),
        total: operations.length,
        about: info.description.split('\n\n'),
      };
    },
    group: (slug, root) => {
      const found = groups.find((group) => group.slug === slug);
      if (!found) return undefined;
      const shown = found.operations.map((one) => shownOperation(one, root));
      return {
        kind: 'docs-group',
        name: found.name,
        about: found.about,
        operations: shown,
        structures: structuresOf(shown, components.schemas),
        groups: groups.map(({ slug, name }) => ({ slug, name })),
      };
    },
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Orders operations by path, then by method. Paths with a parameter follow the others. */
function byPath(a: Operation, b: Operation): number {
  if (a.path === b.path) return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
  return a.path < b.path ? -1 : 1;
}

function lineOf({ operationId: id, method, path, summary, 'x-callers': callers }: Operation): ApiLine {
  return { id, method, path, summary, callers };
}

function shownOperation(one: Operation, root: string): ApiOperation {
  const { description, parameters, requestBody, responses } = one;
  const [body] = Object.entries(requestBody?.content ?? {});
  const answers = Object.entries(responses);
  return {
    ...lineOf(one),
    details: description,
    limit: one['x-rate-limit'],
    parameters: parameters.map(({ name, in: place, required, description, schema }): ApiParameter => ({
      ...flatField(name, schema, required),
      text: description ?? schema.description ?? '',
      place,
    })),
    body: body && { isRequired: requestBody?.required ?? false, mediaType: body[0], value: flatValue(body[1].schema) },
    responses: answers
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description: text, headers, content }]) => ({
        status,
        text,
        mediaTypes: Object.keys(content),
        headers: Object.entries(headers).map(([name, { description }]) => [name, description] as const),
        value: content[JSON_TYPE] && flatValue(content[JSON_TYPE].schema),
      })),
    errors: answers
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description: codes }]) => ({ status, codes })),
    examples: examplesOf(exampleOf(one), root),
    tryIt: tryItOf(one),
  };
}

function exampleOf(one: Operation): ExampleRequest {
  const { operationId: id, method, path, parameters, requestBody, responses, security } = one;
  const [body] = Object.entries(requestBody?.content ?? {});
  const successes = Object.entries(responses).flatMap(([status, one]) => (status.startsWith('2') ? [one] : []));
  const file = successes.find(({ headers }) => 'Content-Disposition' in headers);
  const isEmpty = (option: object): boolean => Object.keys(option).length === 0;
  return {
    id,
    method,
    path,
    parameters: parameters.flatMap(({ name, in: place, example }) =>
      place === 'header' || example === undefined ? [] : [{ name, place, value: String(example) }],
    ),
    body: body?.[1].example,
    isForm: body !== undefined && body[0] !== JSON_TYPE,
    credential: security.length === 0 ? 'none' : security.some(isEmpty) ? 'optional' : 'required',
    needsOrigin: responses['403']?.description.includes('ORIGIN_NOT_ALLOWED') ?? false,
    returnsJson: successes.every(({ content }) => Object.keys(content).join() === JSON_TYPE),
    fileType: file && Object.keys(file.content)[0],
  };
}

/** Returns the form of a GET. Path parameters of operations with a credential name data of one user. */
function tryItOf(one: Operation): TryIt | undefined {
  const { method, parameters } = one;
  const example = exampleOf(one);
  const needsToken = example.credential === 'required';
  if (method !== 'GET' || (needsToken && parameters.some(({ in: place }) => place === 'path'))) return undefined;
  return {
    action: filledPath(example),
    needsToken,
    fields: parameters.flatMap(({ name, in: place, required, schema }) =>
      place === 'header'
        ? []
        : [
            {
              name,
              place,
              isRequired: required,
              value: example.parameters.find((value) => value.name === name)?.value,
              options: allowedValues(schema),
            },
          ],
    ),
  };
}

/** Returns the structures that operations refer to, and those that these refer to, by name. */
function structuresOf(
  operations: readonly ApiOperation[],
  schemas: Readonly<Record<string, JsonSchema>>,
): ApiStructure[] {
  const found = new Map<string, ApiStructure>();
  const visit = (value: ApiValue): void => {
    for (const { schema: name } of [...value.type, ...value.fields.flatMap(({ type }) => type)]) {
      const schema = name === undefined ? undefined : schemas[name];
      if (name === undefined || !schema || found.has(name)) continue;
      const structure = { name, ...flatValue(schema) };
      found.set(name, structure);
      visit(structure);
    }
  };
  for (const { body, responses } of operations) {
    if (body) visit(body.value);
    for (const { value } of responses) if (value) visit(value);
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}
