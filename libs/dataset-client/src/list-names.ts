import { ReferenceList } from '@esd/proto/esd/dataset/v1/reference';
import type { ListName } from '@esd/record/reference/reference';

const TO_WIRE = {
  polymers: ReferenceList.REFERENCE_LIST_POLYMERS,
  solvents: ReferenceList.REFERENCE_LIST_SOLVENTS,
  units: ReferenceList.REFERENCE_LIST_UNITS,
  morphologies: ReferenceList.REFERENCE_LIST_MORPHOLOGIES,
  instabilities: ReferenceList.REFERENCE_LIST_INSTABILITIES,
} as const satisfies Record<ListName, ReferenceList>;

/** The reference lists whose entries have names. */
export const LIST_NAMES = [
  'polymers',
  'solvents',
  'units',
  'morphologies',
  'instabilities',
] as const satisfies ListName[];

export function listToWire(list: ListName): ReferenceList {
  return TO_WIRE[list];
}

/** Returns the list in a message; undefined for UNSPECIFIED and for AMBIGUOUS, which is not a list of entries. */
export function listFromWire(list: ReferenceList): ListName | undefined {
  return LIST_NAMES.find((name) => TO_WIRE[name] === list);
}
