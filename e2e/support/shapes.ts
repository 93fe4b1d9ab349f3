import { z } from 'zod';

/** ISO 8601 in UTC with `Z`. */
const timestamp = z.iso.datetime();
const count = z.int().min(0);

/** The response of a login. */
export const session = z.strictObject({
  token: z.string().min(1),
  refreshToken: z.string().min(1),
  email: z.string(),
  role: z.enum(['USER', 'ADMIN', 'MODERATOR']),
  expiresIn: z.int().positive(),
});

export const me = z.strictObject({ email: z.string(), role: session.shape.role, enabled: z.boolean() });
export const profile = z.strictObject({
  email: z.string(),
  emailVerified: z.boolean(),
  role: session.shape.role,
  createdAt: timestamp,
  name: z.string(),
  orcid: z.string().optional(),
});

const status = z.enum(['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE']);

/** The response of a submission. */
export const submission = z.strictObject({
  message: z.string().min(1),
  submissionId: z.int().min(1),
  records: z
    .array(
      z.strictObject({
        recordId: z.int().min(1),
        status,
        missingFields: z.array(z.string()),
        warnings: z.array(
          z.strictObject({
            path: z.string(),
            code: z.string(),
            message: z.string(),
            severity: z.enum(['high', 'low']),
          }),
        ),
      }),
    )
    .min(1),
});

export const reviewedRecord = z.strictObject({ recordId: z.int(), status, revision: z.int() });
const reviewedMany = z.strictObject({
  success: z.literal(true),
  message: z.string().min(1),
  records: z.array(reviewedRecord),
});
export const undoneDecision = reviewedMany;
export const bulkReview = reviewedMany.extend({
  decision: z.strictObject({ id: z.int(), undoUntil: z.iso.datetime() }),
});

const substance = z.strictObject({
  id: z.int().min(1),
  name: z.string().min(1),
  fullName: z.string().min(1).optional(),
  casNumber: z
    .string()
    .regex(/^\d+-\d\d-\d$/)
    .optional(),
  abbreviation: z.string().min(1).optional(),
  aliases: z.array(z.string().min(1)),
  kind: z.string().min(1),
  sameAs: z.string().min(1).optional(),
  inchiKey: z.string().min(1).optional(),
  pubchemCid: z.int().min(1).optional(),
  retired: z.literal(true).optional(),
  displayName: z.string().min(1),
  shortName: z.string().min(1),
  /** Solvents only. */
  properties: z
    .array(
      z.strictObject({
        ...{ property: z.string().min(1), value: z.number(), unit: z.string().min(1), source: z.string().min(1) },
        temperatureCelsius: z.number().optional(),
      }),
    )
    .optional(),
});
const unit = z.strictObject({
  id: z.int().min(1),
  unit: z.string().min(1),
  name: z.string().min(1),
  dimension: z.string().min(1),
  canonical: z.string().min(1).optional(),
  factor: z.number().optional(),
  offset: z.number().optional(),
  ucumCode: z.string().min(1).optional(),
  qudtUri: z.url().optional(),
  aliases: z.array(z.string().min(1)),
  retired: z.literal(true).optional(),
});
const morphology = z.strictObject({
  id: z.int().min(1),
  label: z.string().min(1),
  abbreviation: z.string().min(1).optional(),
  definition: z.string().min(1),
  synonyms: z.array(z.string().min(1)),
  retired: z.literal(true).optional(),
});
const instability = z.strictObject({
  id: z.int().min(1),
  label: z.string().min(1),
  category: z.string().min(1),
  definition: z.string().min(1),
  synonyms: z.array(z.string().min(1)),
  retired: z.literal(true).optional(),
});

/** One entry of `/metadata/polymers` and `/metadata/solvents`. */
export const substanceEntry = substance;
export const unitEntry = unit;

export const substances = z.array(substance).min(1);
export const units = z.array(unit).min(1);
export const morphologies = z.record(z.string().min(1), z.array(morphology).min(1));
export const instabilities = z.array(instability).min(1);

/** A dependency of a service, and whether it responds. */
export const readiness = z.strictObject({
  ready: z.boolean(),
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  warnings: z.array(z.string()),
});

const label = z.strictObject({ category: z.string(), label: z.string() });
const text = z.string().min(1);
type FreeValue = string | number | boolean | FreeValue[] | { [member: string]: FreeValue };
const freeValue: z.ZodType<FreeValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.array(freeValue), z.record(z.string(), freeValue)]),
);
const freeObject = z.record(z.string(), freeValue);

/** `names`, each followed by its unit. */
function quantities<Name extends string>(...names: Name[]) {
  const members = names.flatMap((name) => [
    [name, z.number().optional()],
    [`${name}Unit`, text.optional()],
  ]);
  // The members come from the names above.
  return Object.fromEntries(members) as Record<Name, z.ZodOptional<z.ZodNumber>> &
    Record<`${Name}Unit`, z.ZodOptional<z.ZodString>>;
}

/** A group of a record: strict and not empty. */
function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((members) => Object.keys(members).length > 0, 'an empty group')
    .optional();
}

/** A public record: only the fields of the catalog, without null and without empty values. */
export const publicRecord = z.strictObject({
  recordId: z.int().min(1),
  experimentId: z.int().min(1),
  researchMetadata: group({
    publicationTitle: text.optional(),
    doi: text.optional(),
    deviceManufacturer: text.optional(),
    deviceModel: text.optional(),
    customDevice: z.boolean().optional(),
    remarks: text.optional(),
  }),
  polymerProperty: group({
    polymerComponents: z
      .array(z.strictObject({ polymerName: text, ...quantities('polymerWeight', 'molecularWeight', 'weightRatio') }))
      .min(1)
      .optional(),
  }),
  solventProperty: group({
    solventComponents: z
      .array(z.strictObject({ solventName: text, ...quantities('weight', 'volumeRatio') }))
      .min(1)
      .optional(),
  }),
  solutionProperty: group({
    ...quantities('concentration', 'viscosity', 'surfaceTension', 'conductivity', 'evaporationRate'),
    pH: z.number().optional(),
  }),
  needleProperty: group({ needleType: text.optional(), needleDefinition: freeObject.optional() }),
  collectorProperty: group({ collectorType: text.optional(), collectorDefinition: freeObject.optional() }),
  processParameter: group({
    ...quantities('voltage', 'flowRate', 'tipCollectorDistance', 'spinningDuration'),
    instability: z.array(label).min(1).optional(),
  }),
  ambientParameter: group(quantities('temperature', 'humidity')),
  fiberProperty: group({
    isFormationStable: z.boolean().optional(),
    ...quantities('fiberDiameter', 'fiberDiameterVariation', 'productWeight'),
    fiberDiameterCount: z.int().min(1).optional(),
    qualityGrade: text.optional(),
    fiberMorphology: z.array(label).min(1).optional(),
  }),
  mechanicalProperty: group({
    ...quantities('tensileStrength', 'modulus', 'elongationAtBreak'),
    modulus_unit: text.optional(),
    fractureBehaviour: text.optional(),
  }),
  functionalProperty: group({
    ...quantities(
      'surfaceArea',
      'porosity',
      'permeability',
      'wettability',
      'electricalConductivity',
      'thermalConductivity',
    ),
    porosity_unit: text.optional(),
    permeability_unit: text.optional(),
  }),
  fiberImages: z
    .array(
      z.strictObject({
        imageId: z.uuid(),
        imageType: text.optional(),
        imageDefinition: freeObject.optional(),
        width: z.int().min(1),
        height: z.int().min(1),
        contentUrl: text,
        stretched: z.literal(true).optional(),
      }),
    )
    .min(1)
    .optional(),
});

export type PublicRecord = z.output<typeof publicRecord>;

/** A page of results of the dataset. */
export const page = z.strictObject({
  data: z.array(publicRecord),
  total: count,
  skip: count,
  limit: z.int().min(1).max(1000),
  version: z.string(),
});

export const records = z.array(publicRecord);
export const ids = z.array(z.int().min(1));
