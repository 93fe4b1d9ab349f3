import { z } from 'zod';
import { schemaReference } from '@esd/record/catalog/record-schema';

/** A value that the field catalog describes; services check it, the document refers to its schema. */
export function catalogSchema(name: Parameters<typeof schemaReference>[0]): z.ZodUnknown {
  return z.unknown().meta(schemaReference(name));
}
