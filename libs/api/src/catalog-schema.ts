import type { ExperimentData } from '@esd/record/catalog/catalog';
import { schemaReference } from '@esd/record/catalog/record-schema';
import { z } from 'zod';

/** Returns the schema of a value that the field catalog describes. The gateway does not check it; services do. */
export function catalogSchema(name: Parameters<typeof schemaReference>[0]): z.ZodUnknown {
  return z.unknown().meta(schemaReference(name));
}

/** A record in the shape of the catalog, which a service has checked. */
export const experimentData = catalogSchema('ExperimentDataDTO') as z.ZodType<ExperimentData>;
