/** Maximum number of records in a submission. */
export const MAX_RECORDS = 1_000;
export const MAX_ANONYMOUS_RECORDS = 50;
/** Maximum bytes of a record as compact JSON in UTF-8. */
export const MAX_RECORD_BYTES = 262_144;
