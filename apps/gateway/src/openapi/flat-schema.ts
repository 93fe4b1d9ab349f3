import { z } from 'zod';
import type { ApiField, ApiValue, TypePart } from '@esd/pages/api-docs';

const simple = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The keywords of JSON Schema that the OpenAPI document uses and people read. */
export interface JsonSchema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  description?: string | undefined;
  deprecated?: boolean | undefined;
  enum?: z.output<typeof simple>[] | undefined;
  const?: z.output<typeof simple> | undefined;
  default?: unknown;
  minimum?: number | undefined;
  maximum?: number | undefined;
  maxLength?: number | undefined;
  maxItems?: number | undefined;
  items?: JsonSchema | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | JsonSchema | undefined;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
}

export const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    description: z.string().optional(),
    deprecated: z.boolean().optional(),
    enum: z.array(simple).optional(),
    const: simple.optional(),
    default: z.unknown().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    maxLength: z.number().optional(),
    maxItems: z.number().optional(),
    items: jsonSchema.optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), jsonSchema]).optional(),
    anyOf: z.array(jsonSchema).optional(),
    oneOf: z.array(jsonSchema).optional(),
    allOf: z.array(jsonSchema).optional(),
  }),
);

/** Flattens a JSON Schema: the type of the value, and a field for each member of its objects. References are not followed. */
export function flatValue(schema: JsonSchema): ApiValue {
  return { type: typeOf(schema), text: schema.description ?? '', fields: fieldsOf(schema, '') };
}

/** Returns the field of a value with a name; its type ends with the limits and the default. */
export function flatField(name: string, schema: JsonSchema, isRequired: boolean): ApiField {
  const { description = '', deprecated = false } = schema;
  return { name, type: typeOf(schema), isRequired, text: deprecated ? `Deprecated. ${description}` : description };
}

/** Returns the only allowed values, as texts; undefined if others are allowed. */
export function allowedValues({ enum: values, const: constant }: JsonSchema): string[] | undefined {
  if (constant !== undefined) return [String(constant)];
  return values?.map(String);
}

function fieldsOf(schema: JsonSchema, prefix: string): ApiField[] {
  const fields = new Map<string, ApiField>();
  for (const { object, path } of objectsOf(schema, prefix)) {
    const { properties = {}, required = [] } = object;
    for (const [member, value] of Object.entries(properties)) {
      const name = path === '' ? member : `${path}.${member}`;
      // Alternatives share their members. The first one describes them.
      for (const field of [flatField(name, value, required.includes(member)), ...fieldsOf(value, name)]) {
        const known = fields.get(field.name);
        if (!known || (known.isRequired && !field.isRequired))
          fields.set(field.name, { ...(known ?? field), isRequired: field.isRequired });
      }
    }
  }
  return [...fields.values()];
}

/** Finds the objects in a value: itself, items, values of any name, and alternatives. */
function objectsOf(schema: JsonSchema, path: string): { object: JsonSchema; path: string }[] {
  const { properties, items, additionalProperties: others, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...(properties ? [{ object: schema, path }] : []),
    ...(items ? objectsOf(items, `${path}[]`) : []),
    ...(typeof others === 'object' ? objectsOf(others, path === '' ? '*' : `${path}.*`) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => objectsOf(one, path)),
  ];
}

const REFERENCE = '#/components/schemas/';

function typeOf(schema: JsonSchema): TypePart[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], items, additionalProperties: others, properties, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice(REFERENCE.length);
    return [{ text: name, schema: name }];
  }
  const alternatives = distinct([...anyOf, ...oneOf].map(typeOf));
  if (alternatives.length > 0) return joined(alternatives);
  const [whole] = allOf;
  if (whole) return typeOf(whole);
  const allowed = allowedValues(schema);
  if (allowed) return [{ text: `${allowed.map((value) => `\`${value}\``).join(', ')}${defaultOf(schema)}` }];
  if (items) return [{ text: 'array of ' }, ...typeOf(items)];
  if (typeof others === 'object' && !properties) return [{ text: 'object of ' }, ...typeOf(others)];
  const names = type === undefined ? ['any'] : [type].flat();
  return [{ text: `${names.join(' or ')}${limitsOf(schema)}${defaultOf(schema)}` }];
}

function limitsOf({ format, minimum, maximum, maxLength, maxItems }: JsonSchema): string {
  const known = (limit: number | undefined): limit is number =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  const range =
    known(minimum) && known(maximum)
      ? ` from ${minimum} to ${maximum}`
      : known(minimum)
        ? ` of at least ${minimum}`
        : known(maximum)
          ? ` of at most ${maximum}`
          : '';
  const length = maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
  const count = maxItems === undefined ? '' : ` of at most ${maxItems} items`;
  return `${format === undefined ? '' : ` (${format})`}${range}${length}${count}`;
}

function defaultOf({ default: value }: JsonSchema): string {
  return value === undefined ? '' : `, default \`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function distinct(types: readonly TypePart[][]): TypePart[][] {
  return [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
}

function joined(types: readonly TypePart[][]): TypePart[] {
  return types.flatMap((type, at) => (at === 0 ? type : [{ text: ' or ' }, ...type]));
}
