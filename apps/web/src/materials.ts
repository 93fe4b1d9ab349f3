import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { SubstanceKey } from '@esd/record/reference/substance-names';
import type { KnownNames } from './parts/known-names.tsx';

type Components = readonly { polymerName?: string | undefined; solventName?: string | undefined }[] | undefined;

interface Materials {
  readonly polymerProperty?: { readonly polymerComponents?: Components } | undefined;
  readonly solventProperty?: { readonly solventComponents?: Components } | undefined;
}

/** Joins the names of the polymers and of the solvents of a record, such as "PVA–PEO". A text is empty if the record names none. */
export function materialsOf(data: Materials): { polymers: string; solvents: string } {
  return { polymers: substancesOf(data, 'polymer').join('–'), solvents: substancesOf(data, 'solvent').join('–') };
}

/** Returns the names of the polymers or the solvents of a record, as it has them. */
export function substancesOf({ polymerProperty, solventProperty }: Materials, key: SubstanceKey): string[] {
  const names =
    key === 'polymer'
      ? polymerProperty?.polymerComponents?.map(({ polymerName }) => polymerName)
      : solventProperty?.solventComponents?.map(({ solventName }) => solventName);
  return (names ?? []).filter((name) => name !== undefined);
}

/** Replaces the names of the polymers and solvents of a record by their short names for people. */
export function withShortNames<Data extends ExperimentData>(data: Data, { substanceOf }: KnownNames): Data {
  const { polymerProperty, solventProperty } = data;
  const polymers = polymerProperty?.polymerComponents?.map((component) =>
    component.polymerName === undefined
      ? component
      : { ...component, polymerName: substanceOf('polymer', component.polymerName).shortName },
  );
  const solvents = solventProperty?.solventComponents?.map((component) =>
    component.solventName === undefined
      ? component
      : { ...component, solventName: substanceOf('solvent', component.solventName).shortName },
  );
  return {
    ...data,
    ...(polymers && { polymerProperty: { ...polymerProperty, polymerComponents: polymers } }),
    ...(solvents && { solventProperty: { ...solventProperty, solventComponents: solvents } }),
  };
}
