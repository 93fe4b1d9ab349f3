import type { Known } from '@esd/pages/known';
import { parseJson } from '../dataset/parse-json.ts';

/** Reads the facts of papers and the names of substances in a response of dataset-svc; none of a replica that does not send them. */
export function readKnown({
  papersJson,
  namesJson,
}: {
  papersJson?: Uint8Array | undefined;
  namesJson?: Uint8Array | undefined;
}): Known {
  return {
    papers: papersJson === undefined ? [] : parseJson<Known['papers']>(papersJson),
    substances: namesJson === undefined ? [] : parseJson<Known['substances']>(namesJson),
  };
}
