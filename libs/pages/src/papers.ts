/** What a paper gave to the dataset. */
export interface PaperEntry {
  /** The normalized DOI, or the text that stands in its place. */
  readonly doi: string;
  readonly records: number;
  readonly polymers: readonly string[];
  readonly unstable: number;
  /** In nm. */
  readonly fiberDiameter: { readonly min: number; readonly max: number } | null;
}

/** The papers behind records. */
export interface Papers {
  readonly distinct: number;
  /** Records that name no paper. */
  readonly withoutPaper: number;
  /** By records descending; the largest where not all of them are there. */
  readonly papers: readonly PaperEntry[];
}
