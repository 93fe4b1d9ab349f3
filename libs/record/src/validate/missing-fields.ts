import type { ExperimentData } from '../catalog/catalog.ts';

const hasData = (component: object): boolean => Object.keys(component).length > 0;

/**
 * Paths of the mandatory fields that a record lacks: polymer information with a named component, and the name of each
 * solvent component that is included. A further polymer component that holds data but no name counts as missing too,
 * since it could not be published. With `imageOnly` nothing is mandatory but the names of components that hold data.
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
