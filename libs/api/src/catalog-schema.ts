import { z } from 'zod';
import { schemaReference } from '@esd/record/catalog/record-schema';

/** Returns the schema of a value that the field catalog describes. The gateway does not check it; services do. */
export function catalogSchema(name: Parameters<typeof schemaReference>[0]): z.ZodUnknown {
  return z.unknown().meta(schemaReference(name));
}
