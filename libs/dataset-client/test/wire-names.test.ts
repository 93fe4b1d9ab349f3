import { expect, test } from '@jest/globals';
import { ReferenceList } from '@esd/proto/esd/dataset/v1/reference';
import { RecordStatus } from '@esd/proto/esd/submission/v1/submission';
import { recordStatuses } from '@esd/record/status/record-status';
import { LIST_NAMES } from '@esd/record/reference/list-names';
import { listFromWire, listToWire } from '../src/list-names.ts';
import { statusFromWire, statusToWire } from '../src/record-status.ts';

test('every list and status is the same after a conversion to a message and back', () => {
  expect(LIST_NAMES.map((name) => listFromWire(listToWire(name)))).toEqual(LIST_NAMES);
  expect(recordStatuses.map((status) => statusFromWire(statusToWire(status)))).toEqual(recordStatuses);
});

test('unspecified values convert to undefined', () => {
  expect(listFromWire(ReferenceList.REFERENCE_LIST_UNSPECIFIED)).toBeUndefined();
  expect(listFromWire(ReferenceList.REFERENCE_LIST_AMBIGUOUS)).toBeUndefined();
  expect(statusFromWire(statusToWire(undefined))).toBeUndefined();
  expect(statusToWire(undefined)).toBe(RecordStatus.RECORD_STATUS_UNSPECIFIED);
});
