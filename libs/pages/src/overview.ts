/** The fiber diameters of a polymer in nm; null if no diameter is reported. */
export interface PolymerFigures {
  polymer: string;
  records: number;
  withDiameter: number;
  /** Runs that were not stable, with or without a diameter. */
  unstable: number;
  min: number | null;
  median: number | null;
  max: number | null;
  /** All diameters, or a sample if there are too many to draw. */
  diameters: readonly number[];
}

/** The numbers of the home page. */
export interface Overview {
  total: number;
  papers: number;
  polymers: number;
  /** Number of distinct sets of solvents. */
  solventSystems: number;
  unstable: number;
  /** The papers and the polymers of the runs that were not stable; the polymer with most of them first. */
  failures: { papers: number; polymers: readonly string[] };
  /** The number of records that repeat one with a lower id. */
  repeats: { records: number };
  sampled: boolean;
  byPolymer: readonly PolymerFigures[];
  /** The records of each paper by day of publication (2026-11-03), newest first. */
  additions: readonly {
    day: string;
    /** The normalized DOI, or the text that the record has instead. */
    doi: string | null;
    records: number;
    polymers: readonly string[];
  }[];
}
