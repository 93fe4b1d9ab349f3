import type { ExperimentData } from '../catalog/catalog.ts';

const hasData = (component: object): boolean => Object.keys(component).length > 0;

/**
 * Returns the paths of missing mandatory fields: `polymerProperty` with a named component, and the name of each solvent
 * component. A polymer component with data needs a name too, because it could not be published without one.
 * With `imageOnly`, only the names of components with data are mandatory.
 */
export function missingFields(data: ExperimentData, imageOnly = false): string[] {
  const missing: string[] = [];
  const polymers = data.polymerProperty?.polymerComponents ?? [];
  const polymerUnnamed = polymers.some((component) => component.polymerName === undefined && hasData(component));
  const polymerNamed = polymers.some((component) => component.polymerName !== undefined);
  if (data.polymerProperty === undefined && !imageOnly) missing.push('polymerProperty');
  else if (polymerUnnamed || (!polymerNamed && !imageOnly)) {
    missing.push('polymerProperty.polymerComponents[].polymerName');
  }
  const solvents = data.solventProperty?.solventComponents ?? [];
  if (solvents.some((component) => component.solventName === undefined && (!imageOnly || hasData(component)))) {
    missing.push('solventProperty.solventComponents[].solventName');
  }
  return missing;
}

/** Returns whether a record has a value of its experiment. The facts of its paper do not count. */
export function hasValues({ researchMetadata: _, ...experiment }: ExperimentData): boolean {
  return hasLeaf(experiment);
}

function hasLeaf(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(hasLeaf) : value !== undefined;
}
