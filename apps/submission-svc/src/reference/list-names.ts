import { ReferenceList } from '@esd/proto/esd/dataset/v1/reference';
import type { ListName } from '@esd/record/reference';

/** The lists of names as messages name them. */
export const LIST_NAMES: Readonly<Record<ReferenceList, ListName | undefined>> = {
  [ReferenceList.REFERENCE_LIST_UNSPECIFIED]: undefined,
  [ReferenceList.REFERENCE_LIST_POLYMERS]: 'polymers',
  [ReferenceList.REFERENCE_LIST_SOLVENTS]: 'solvents',
  [ReferenceList.REFERENCE_LIST_UNITS]: 'units',
  [ReferenceList.REFERENCE_LIST_MORPHOLOGIES]: 'morphologies',
  [ReferenceList.REFERENCE_LIST_INSTABILITIES]: 'instabilities',
  [ReferenceList.REFERENCE_LIST_AMBIGUOUS]: undefined,
};
