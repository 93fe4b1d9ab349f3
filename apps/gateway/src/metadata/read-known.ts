import { type Known, namedSubstancesSchema, paperSummariesSchema } from '@esd/pages/known';

/** Reads the facts of papers and the names of substances in a response of dataset-svc; none of a replica that does not send them. */
export function readKnown({
  papersJson,
  namesJson,
}: {
  papersJson?: Uint8Array | undefined;
  namesJson?: Uint8Array | undefined;
}): Known {
  return {
    papers: papersJson === undefined ? [] : paperSummariesSchema.parse(parsed(papersJson)),
    substances: namesJson === undefined ? [] : namedSubstancesSchema.parse(parsed(namesJson)),
  };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
