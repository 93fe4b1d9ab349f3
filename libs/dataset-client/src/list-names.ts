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

/** The name of a list as messages have it. */
export function listToWire(list: ListName): ReferenceList {
  return TO_WIRE[list];
}

/** The list that a message names; undefined where it names none, or the ambiguous texts, which are no list of entries. */
export function listFromWire(list: ReferenceList): ListName | undefined {
  return LIST_NAMES.find((name) => TO_WIRE[name] === list);
}
