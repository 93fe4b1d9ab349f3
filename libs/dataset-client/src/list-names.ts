import { ReferenceList } from '@esd/proto/esd/dataset/v1/reference';
import { ALL_LISTS, type EntryList, LIST_NAMES } from '@esd/record/reference/list-names';
import type { ListName } from '@esd/record/reference/reference';

const TO_WIRE = {
  polymers: ReferenceList.REFERENCE_LIST_POLYMERS,
  solvents: ReferenceList.REFERENCE_LIST_SOLVENTS,
  units: ReferenceList.REFERENCE_LIST_UNITS,
  morphologies: ReferenceList.REFERENCE_LIST_MORPHOLOGIES,
  instabilities: ReferenceList.REFERENCE_LIST_INSTABILITIES,
  papers: ReferenceList.REFERENCE_LIST_PAPERS,
} as const satisfies Record<EntryList, ReferenceList>;

export function listToWire(list: EntryList): ReferenceList {
  return TO_WIRE[list];
}

/** Returns the list in a message; undefined for UNSPECIFIED and for AMBIGUOUS, which is not a list of entries. */
export function listFromWire(list: ReferenceList): EntryList | undefined {
  return ALL_LISTS.find((name) => TO_WIRE[name] === list);
}

/** Returns a list whose entries have names; undefined for other lists. */
export function namedListFromWire(list: ReferenceList): ListName | undefined {
  return LIST_NAMES.find((name) => TO_WIRE[name] === list);
}
