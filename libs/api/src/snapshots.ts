import { schemaReference } from '@esd/record/catalog/record-schema';
import { z } from 'zod';
import { integerText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { pagedHeaders } from './paged-list.ts';
import { exportFormat, fileHeaders, fileTypes } from './export-format.ts';
import { pageQuery, recordPage, records } from './record-list.ts';
import { stateHeaders } from './dataset-headers.ts';
import { success } from './success.ts';

export const snapshot = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().optional(),
    filterConfig: z.looseObject({}).meta({ description: 'The filter; an empty object selects all records.' }),
    recordCount: z.int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Snapshot' });

// The interface allows clients to send more members.
const createBody = z.object({
  name: z.string(),
  filterConfig: z.looseObject({}).meta({ allOf: [schemaReference('Filter')] }),
  description: z.string().optional(),
});

export const snapshotId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });

const EXAMPLE = { parameters: { id: 1 } };

const ofSnapshot = {
  tag: 'Personal snapshots',
  errors: ['SNAPSHOT_NOT_FOUND'],
} satisfies Partial<Description>;

export const saveSnapshot = operation({
  method: 'post',
  path: '/versions',
  caller: 'required',
  describe: {
    ...ofSnapshot,
    summary: 'Save the latest dataset as a personal snapshot',
    details: 'An empty filter selects all records. Later changes of the dataset do not change the snapshot.',
    returns: 'The snapshot.',
    status: 201,
    answerHeaders: { Location: 'The URL of the snapshot.' },
    errors: ['INVALID_FILTER', 'CONFLICT'],
    example: { body: { name: 'Chapter 3', filterConfig: { polymer: 'PVDF', voltageMin: 15 } } },
  },
  body: createBody,
  response: snapshot,
});

export const listSnapshots = operation({
  method: 'get',
  path: '/versions',
  caller: 'required',
  describe: {
    ...ofSnapshot,
    summary: 'List the personal snapshots of the caller',
    returns: 'The snapshots, newest first.',
    errors: [],
  },
  response: z.array(snapshot),
});

export const getSnapshot = operation({
  method: 'get',
  path: '/versions/{id}',
  caller: 'required',
  describe: {
    ...ofSnapshot,
    summary: 'Get a personal snapshot of the caller',
    returns: 'The snapshot.',
    example: EXAMPLE,
  },
  parameters: snapshotId,
  response: snapshot,
});

export const deleteSnapshot = operation({
  method: 'delete',
  path: '/versions/{id}',
  caller: 'required',
  describe: {
    ...ofSnapshot,
    summary: 'Delete a personal snapshot of the caller',
    returns: 'A confirmation that the snapshot is deleted.',
    example: EXAMPLE,
  },
  parameters: snapshotId,
  response: success,
});

export const getSnapshotRecords = operation({
  method: 'get',
  path: '/versions/{id}/records',
  caller: 'required',
  describe: {
    ...ofSnapshot,
    summary: 'Get a page of records from a personal snapshot of the caller',
    details: 'The records are those at the time of the snapshot, in ascending order of `recordId`.',
    returns: 'The page.',
    answerHeaders: { ...pagedHeaders, ...stateHeaders },
    revalidates: true,
    example: { parameters: { ...EXAMPLE.parameters, limit: 5 } },
  },
  parameters: snapshotId,
  query: pageQuery,
  response: recordPage,
});

export const exportSnapshot = operation({
  method: 'get',
  path: '/versions/{id}/export',
  caller: 'required',
  limit: 'exports',
  describe: {
    ...ofSnapshot,
    summary: 'Download a personal snapshot of the caller as a file',
    returns: 'With `json`, an array of records in ascending order of `recordId`; with the other formats, the file.',
    otherTypes: fileTypes,
    answerHeaders: fileHeaders,
    revalidates: true,
    ranges: true,
    example: { parameters: { ...EXAMPLE.parameters, format: 'json' } },
  },
  parameters: snapshotId,
  query: z.object({ format: exportFormat }),
  response: records,
});
