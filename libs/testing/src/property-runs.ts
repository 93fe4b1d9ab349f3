/** The default number of runs of a property: ESD_PROPERTY_RUNS or 10. */
export const propertyRuns = Number(process.env['ESD_PROPERTY_RUNS'] ?? 10);

/** Scales the number of runs of a property that needs `full` runs where other properties need 100. */
export function runs(full: number): number {
  return Math.ceil((full * propertyRuns) / 100);
}
