import { z } from 'zod';
import { schemaReference } from '@esd/record/catalogue/record-schema';

/** A value that the field catalogue describes; services check it, the document refers to its schema. */
export function catalogueSchema(name: Parameters<typeof schemaReference>[0]): z.ZodUnknown {
  return z.unknown().meta(schemaReference(name));
}
