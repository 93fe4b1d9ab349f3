/** Whether a figure counts records that repeat each other as one experiment, or every record. Analyses default to `once`, lists of records to `all`. */
export const repeatsValues = ['once', 'all'] as const;
export type Repeats = (typeof repeatsValues)[number];
