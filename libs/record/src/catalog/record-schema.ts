import { recordFields, researchFields, userFields } from './catalog.ts';
import type { Field, Fields } from './catalog.ts';
import { features, paperKeys, rangeKeys, systemNames, textKeys } from '../filter/filter-keys.ts';
import { recordStatuses } from '../status/record-status.ts';
import { limitsText } from '../validate/check-limits.ts';
import { snakeCase } from './snake-case.ts';
import { MAX_RECORDS } from '../submission-size.ts';

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** The subset of JSON Schema (draft 2020-12) that records need. */
export interface JsonSchema {
  $ref?: string;
  type?: JsonType | JsonType[];
  description?: string;
  deprecated?: boolean;
  enum?: string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
}

/** `read`: the form of responses. `sent`: the form of requests, with deprecated spellings. */
type Form = 'read' | 'sent';

const COMPONENTS = '#/components/schemas/';
const IGNORED = 'Ignored in requests.';

/** Returns a reference to one of `recordSchemas` in the OpenAPI document. */
export function schemaReference(name: keyof typeof recordSchemas): { $ref: string } {
  return { $ref: COMPONENTS + name };
}

const text = { type: 'string', minLength: 1 } as const;
const recordId: JsonSchema = { type: 'integer', minimum: 1 };
const status: JsonSchema = { type: 'string', enum: [...recordStatuses] };

const label = (list: string): JsonSchema => ({
  type: 'object',
  description: `A label of /metadata/${list}.`,
  properties: { category: text, label: text },
  required: ['category', 'label'],
  additionalProperties: false,
});

function sentLabel(list: string): JsonSchema {
  const { description, ...object } = { ...label(list), required: ['label'] };
  return { description: `${description ?? ''} The label alone is enough.`, anyOf: [text, object] };
}

function fieldSchema(field: Field, form: Form): JsonSchema {
  const read = form === 'read';
  switch (field.kind) {
    case 'text':
      return { ...(read ? text : { type: 'string' }), maxLength: field.maxLength };
    case 'email':
      return { type: 'string', format: 'email' };
    case 'orcid':
      return { ...text, description: 'An ORCID iD with a valid check digit, such as 0000-0002-1825-0097.' };
    case 'imageId':
      return { type: 'string', format: 'uuid', description: 'The id of an uploaded image.' };
    case 'name':
      return { ...(read ? text : { type: 'string' }), description: `A name that resolves in /metadata/${field.list}.` };
    case 'boolean':
      return field.yesOrNo && !read
        ? { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['yes', 'no'] }] }
        : { type: 'boolean' };
    case 'number':
    case 'quantity': {
      const unit = field.kind === 'quantity' ? field.defaultUnit : undefined;
      const texts = [
        ...(unit === undefined ? [] : [`The filter unit is ${unit}, which is also the unit of values without one.`]),
        // Records from before the limits were introduced remain public.
        ...(read ? [] : [`Physically possible: ${limitsText(field.limits, unit ?? '')}.`]),
      ];
      const type = field.kind === 'number' && field.isInteger ? 'integer' : 'number';
      return { type, ...(texts.length > 0 && { description: texts.join(' ') }) };
    }
    case 'labels': {
      const items = read ? label(field.list) : sentLabel(field.list);
      return { type: 'array', items, ...(read ? { minItems: 1 } : {}), maxItems: field.maxItems };
    }
    case 'object':
      return { $ref: `${COMPONENTS}FreeObject` };
    case 'group':
      return membersSchema(field.fields, form, field.snakeCase);
    case 'list': {
      const [[first] = ['']] = Object.entries(field.fields);
      const item = membersSchema(field.fields, form);
      const named = read || field.fields[first]?.kind === 'imageId';
      const items = named ? { ...item, required: [first] } : item;
      return { type: 'array', items, ...(read ? { minItems: 1 } : {}), maxItems: field.maxItems };
    }
  }
}

function membersSchema(fields: Fields, form: Form, snake = false): JsonSchema {
  const members = Object.entries(fields).flatMap(([name, field]): [string, JsonSchema][] => {
    if (form === 'sent' && field.answered === true) return [[name, { description: IGNORED }]];
    if (form === 'read' && field.isPrivate) return [];
    const value = fieldSchema(field, form);
    const own: [string, JsonSchema][] = [[name, value], ...olderSpellings(name, value, form, field.formerly, snake)];
    if (field.kind !== 'quantity') return own;
    const unitName = `${name}Unit`;
    const unit: JsonSchema = {
      ...(form === 'read' ? text : { type: 'string' }),
      description: `A unit of /metadata/units, of dimension ${field.dimensions.join(', ')}.`,
    };
    const formerUnits = field.formerly?.map((former) => `${former}Unit`);
    own.push([unitName, unit], ...olderSpellings(unitName, unit, form, formerUnits, snake));
    if (form === 'read' && field.repeatUnit) own.push([snakeCase(unitName), { ...text, deprecated: true }]);
    return own;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(form === 'read' ? { minProperties: 1 } : {}),
    additionalProperties: false,
  };
}

function olderSpellings(
  name: string,
  schema: JsonSchema,
  form: Form,
  formerly: readonly string[] = [],
  snake = false,
): [string, JsonSchema][] {
  if (form === 'read') return [];
  const spellings = snake && snakeCase(name) !== name ? [...formerly, snakeCase(name)] : formerly;
  return spellings.map((spelling) => [spelling, { ...schema, deprecated: true, description: `Use ${name} instead.` }]);
}

const published = membersSchema(recordFields, 'read');
const record: JsonSchema = {
  ...published,
  description: 'A published record. Absent values are omitted; nothing is null.',
  properties: {
    recordId,
    experimentId: { ...recordId, description: 'Same value as recordId, for older clients.', deprecated: true },
    ...published.properties,
    normalized: {
      type: 'object',
      description: 'With `normalized=true` only: the features of the record, each in its filter unit.',
      properties: Object.fromEntries(
        features.map(({ feature, unit }) => [feature, { type: 'number', description: `In ${unit}.` } as const]),
      ),
      additionalProperties: false,
    },
  },
  required: ['recordId', 'experimentId'],
};

function partOf({ required: _required, minProperties: _least, items, properties, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(items && { items: partOf(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, partOf(member)])),
    }),
  };
}

/** Members that responses add; ignored in requests. */
const answered = (members: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, { ...schema, description: IGNORED }]));

const sentRecord = membersSchema(recordFields, 'sent');

const range = (unit: string, bound: string): JsonSchema => ({
  description: unit === '1' ? `${bound}.` : `${bound}, in ${unit}.`,
  anyOf: [{ type: 'number' }, { type: 'string', description: 'The number as a string.' }],
});

/** The OpenAPI schemas of records, submissions and filters, generated from the field catalog. */
export const recordSchemas = {
  Record: record,
  RecordPart: {
    ...partOf(record),
    description: 'A record with the members that `fields` selects. Absent values are omitted.',
    required: ['recordId'],
  },
  ExperimentDataDTO: {
    ...sentRecord,
    description: 'One submitted record. Texts are trimmed; an unknown member is an error.',
    properties: {
      ...sentRecord.properties,
      ...answered({
        recordId,
        experimentId: recordId,
        status,
        missingFields: { type: 'array', items: { type: 'string' } },
        rejectionReason: { type: 'string' },
        warnings: { type: 'array' },
        revision: { type: 'integer' },
        publishedRevision: { type: 'integer' },
        withdrawn: { type: 'object' },
      }),
    },
  },
  SubmitDataDTO: {
    type: 'object',
    description: 'A submission. Either all of its records are stored, or none.',
    properties: {
      userMetadata: {
        ...membersSchema(userFields, 'sent'),
        description: 'Without an account, `name`, `email` and `consentTerms: true` are required.',
      },
      researchMetadata: {
        ...membersSchema(researchFields, 'sent'),
        description: 'Applies to each record; members of the record itself take precedence.',
      },
      experimentData: {
        type: 'array',
        items: { $ref: `${COMPONENTS}ExperimentDataDTO` },
        minItems: 1,
        maxItems: MAX_RECORDS,
      },
      imageOnly: {
        type: 'boolean',
        description: 'Records of images: each must reference at least one uploaded image.',
      },
      ...answered({ submissionId: { type: 'integer' }, status: { type: 'string' }, submittedAt: { type: 'string' } }),
    },
    required: ['experimentData'],
    additionalProperties: false,
  },
  FiberImage: {
    ...membersSchema(recordFields.fiberImages.fields, 'read'),
    description: 'An image of a record.',
    required: ['imageId', 'width', 'height', 'contentUrl'],
  },
  FiberImageDTO: {
    ...membersSchema(recordFields.fiberImages.fields, 'sent'),
    description: 'An uploaded image for a record. Defaults come from the upload.',
    required: ['imageId'],
  },
  Filter: {
    type: 'object',
    description:
      'Conditions that must all hold. The numbers of a record are compared in the unit given here. A text that begins with `=` matches exact values, as `facets` lists them: `=PVDF`, or `=PVDF|PVA` for either. In a value, write `\\|` for a bar and `\\\\` for a backslash. `=` alone matches records without a value. In `polymer` and `solvent`, `&` joins names that must all occur.',
    properties: {
      ...Object.fromEntries(
        textKeys.map(({ key, path }) => [
          key,
          { ...text, description: `Searches ${path}; a text that begins with \`=\` matches exact values.` },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(systemNames).map(([key, name]) => [
          key,
          {
            ...text,
            description: `Matches the records with exactly these ${name}s, in any order: \`A/B\`, also joined by \`+\`, \`&\`, \`-\`, \`–\` or "and". \`|\` separates alternatives.`,
          },
        ]),
      ),
      ...Object.fromEntries(
        paperKeys.map((key) => [
          key,
          {
            ...text,
            description: `Searches the ${key} that the list of papers gives for the DOI; a text that begins with \`=\` matches exact values.`,
          },
        ]),
      ),
      isFormationStable: { ...text, description: '`yes` or `no`; `=` for records without the value.' },
      status: {
        type: 'string',
        enum: ['PUBLISHED', ...recordStatuses],
        description: 'PUBLISHED and APPROVED match every public record; other statuses match no record.',
      },
      ...Object.fromEntries(
        rangeKeys.flatMap(({ min, max, unit }) => [
          [min, range(unit, 'At least')],
          [max, range(unit, 'At most')],
        ]),
      ),
    },
    additionalProperties: false,
  },
  FreeObject: {
    type: 'object',
    description: 'Free members. A member named unit, …Unit or …_unit must be a unit of /metadata/units.',
    additionalProperties: { $ref: `${COMPONENTS}FreeValue` },
  },
  FreeValue: {
    type: ['string', 'number', 'boolean', 'array', 'object'],
    items: { $ref: `${COMPONENTS}FreeValue` },
    additionalProperties: { $ref: `${COMPONENTS}FreeValue` },
  },
} satisfies Record<string, JsonSchema>;
