import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { type Answer, request } from '@esd/testing/http';

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  example: z.unknown().optional(),
});
const operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ example: z.unknown().optional() })) }).optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).optional() })),
});

/** The used parts of the OpenAPI document; ajv has the schemas. */
export const openApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

const JSON_TYPE = 'application/json';

/** Checks one response. Throws with each difference from the document. */
type Contract = (method: string, path: string, answer: Answer) => void;

const contracts = new Map<string, Promise<Contract>>();

/**
 * Checks a response against the OpenAPI document of its stack, which must describe the path, method, status and JSON.
 */
export async function checkAnswer(url: string, method: string, answer: Answer): Promise<void> {
  const { origin, pathname } = new URL(url);
  let contract = contracts.get(origin);
  if (!contract) {
    contract = readContract(origin);
    contracts.set(origin, contract);
    // The next call reads the document again if this one failed.
    contract.catch(() => contracts.delete(origin));
  }
  (await contract)(method, pathname.replace(/^\/api(?=\/)/, ''), answer);
}

async function readContract(origin: string): Promise<Contract> {
  const { json } = await request(`${origin}/openapi.json`);
  const { paths } = openApi.parse(json);
  const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  // As the root schema, so that references resolve.
  const document = z.record(z.string(), z.unknown()).parse(json);
  ajv.addVocabulary(Object.keys(document)).addSchema(document, 'document');
  const templates = Object.keys(paths)
    .map((path) => ({ path, matches: patternOf(path) }))
    // Paths without parameters first; paths whose parameter may contain slashes last.
    .sort((a, b) => rank(a.path) - rank(b.path));

  return (method, path, answer) => {
    if (method === 'OPTIONS') return;
    const isHead = method === 'HEAD';
    const template = templates.find(({ matches }) => matches.test(path))?.path;
    const verb = isHead ? 'get' : method.toLowerCase();
    const described = template === undefined ? undefined : paths[template]?.[verb];
    const complain = (what: string): never => {
      throw new Error(`not as described: ${method} ${path} → ${answer.status}: ${what}\n${answer.text.slice(0, 500)}`);
    };
    const check = (pointer: string): void => {
      const validate = ajv.getSchema(`document#/${pointer}`);
      if (!validate) return complain(`there is no schema ${pointer}`);
      if (!validate(answer.json)) complain(ajv.errorsText(validate.errors, { dataVar: 'body' }));
    };
    if (template === undefined || !described) {
      // An unknown path, and a request that cannot be parsed, have an error body.
      const expected = template === undefined ? [400, 404] : [400, 405];
      if (!expected.includes(answer.status)) complain('no such operation is described');
      else if (!isHead) check('components/schemas/Error');
      return;
    }
    const response = described.responses[answer.status];
    if (!response) return complain(`described are ${Object.keys(described.responses).join(', ')}`);
    if (isHead || !response.content) {
      if (answer.text !== '') complain('the response must have no body');
      return;
    }
    const type = answer.headers.get('content-type')?.split(';')[0] ?? 'none';
    if (!Object.hasOwn(response.content, type)) complain(`the type ${type} is not described`);
    if (type !== JSON_TYPE) return;
    const encodedPath = encodeURIComponent(template.replaceAll('/', '~1'));
    check(`paths/${encodedPath}/${verb}/responses/${answer.status}/content/application~1json/schema`);
  };
}

function rank(template: string): number {
  const parameters = template.split('{').length;
  return template.includes('{version}') ? 1_000 - template.length : parameters;
}

/** Returns the pattern of a path template. A version may be a DOI, which contains slashes. */
function patternOf(template: string): RegExp {
  const segments = template.split('/').map((segment) => {
    if (!segment.startsWith('{')) return segment.replaceAll('.', '\\.');
    return segment === '{version}' ? '.+' : '[^/]+';
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}
