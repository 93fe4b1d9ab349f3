/** The ratio of two fiber diameters above which equal settings do not explain both. */
const MAX_DIAMETER_RATIO = 1.5;

/** Returns whether equal settings do not explain two fiber diameters, which are above 0. */
export function isUnexplained(diameter: number, otherDiameter: number): boolean {
  return Math.max(diameter / otherDiameter, otherDiameter / diameter) > MAX_DIAMETER_RATIO;
}

/** Returns whether so many of the records are unexplained that a reader must know it: at least a third. */
export function isOftenUnexplained(count: number, total: number): boolean {
  return count > 0 && 3 * count >= total;
}
