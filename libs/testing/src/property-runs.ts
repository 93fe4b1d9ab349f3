/** How often a property runs that names no number: 10 times, or ESD_PROPERTY_RUNS times. */
export const propertyRuns = Number(process.env['ESD_PROPERTY_RUNS'] ?? 10);

/** The number of runs for a property that needs `full` of them where others have 100, scaled by `propertyRuns`. */
export function runs(full: number): number {
  return Math.ceil((full * propertyRuns) / 100);
}
