type Components = readonly { polymerName?: string | undefined; solventName?: string | undefined }[] | undefined;

interface Materials {
  readonly polymerProperty?: { readonly polymerComponents?: Components } | undefined;
  readonly solventProperty?: { readonly solventComponents?: Components } | undefined;
}

/** Joins the names of the polymers and of the solvents of a record, such as "PVA–PEO". A text is empty if the record names none. */
export function materialsOf({ polymerProperty, solventProperty }: Materials): { polymers: string; solvents: string } {
  const polymers = polymerProperty?.polymerComponents?.flatMap(({ polymerName }) => polymerName ?? []) ?? [];
  const solvents = solventProperty?.solventComponents?.flatMap(({ solventName }) => solventName ?? []) ?? [];
  return { polymers: polymers.join('–'), solvents: solvents.join('–') };
}
