import type { FileFormatName } from '@esd/record/catalog/file-formats';
import { columnsOf, type FileColumn } from '@esd/record/flatten/file-columns';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import { z } from 'zod';
import { fileRecipe, type RecipeParts } from '../export/file-recipe.ts';
import { damagedFile, findReleaseFile, type ReleaseFileStore, reportDamaged } from '../export/release-file.ts';
import { builtFileObject, type BuiltFiles } from '../files/built-files.ts';
import { PLAIN } from '../files/open-scan.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { FreezeFile } from '../freeze/freeze-job.store.ts';
import { revisionNotFound, type StableState, type StateParts } from './stable-state.ts';

export interface StableFileParts extends StateParts, RecipeParts, ReleaseFileStore {
  built: BuiltFiles;
  isKnown: (key: string) => Promise<boolean>;
  setBuiltFileTag: (key: string, entityTag: string | undefined) => Promise<void>;
  /** Moves a built file to a release. */
  adopt: (jobId: string, key: string, file: FreezeFile) => Promise<void>;
  /** Deletes the row of a built file whose object is lost or altered. */
  forget: (key: string, file: StoredFile) => Promise<void>;
}

/** A stored file with a permanent URL. */
export interface StableFile {
  format: FileFormatName;
  objectKey: string;
  file: StoredFile;
  /** Undefined for a file without a table. */
  columns: readonly FileColumn[] | undefined;
  setEntityTag: (entityTag: string | undefined) => Promise<void>;
  /** Handles the loss or alteration of the object. */
  lost: () => Promise<void>;
}

const storedColumns = z.array(
  z.object({
    name: z.string(),
    type: z.enum(['integer', 'number', 'boolean', 'string', 'list<string>']),
    unit: z.string().nullable(),
  }),
);

/**
 * Finds or builds a file. Builds a missing file of a release once and adds it to the release. Builds a file of latest
 * like an export. Throws VERSION_NOT_FOUND for an older dataset revision without the file. Throws UNAVAILABLE during a
 * build, or if a file of a release differs from the frozen one.
 */
export async function findStableFile(
  parts: StableFileParts,
  state: StableState,
  format: FileFormatName,
  call: EndpointCall,
): Promise<StableFile> {
  const { source } = state;
  const stored = await findReleaseFile(parts, source, format);
  if (stored === 'damaged') {
    reportDamaged(parts, call.requestId, source, format, undefined);
    throw damagedFile();
  }
  if (stored) return ofRelease(parts, source, format, stored, call);
  const recipe = fileRecipe(parts, { format, form: PLAIN, source }, state);
  const { key } = recipe;
  const jobId = source.frozen?.jobId;
  if (jobId !== undefined) {
    const objectKey = `versions/${jobId}/${key}.${format}`;
    const file = await parts.built.get({ ...recipe, objectKey }, call.client, call.signal);
    const columns = columnsOf(format);
    await parts.adopt(jobId, key, { ...file, format, objectKey, columns: columns && JSON.stringify(columns) });
    // Another replica may have added the file first.
    const own = await parts.findReleaseFile(jobId, format);
    if (!own) throw new Error('the added file of the release is missing');
    return ofRelease(parts, source, format, own, call);
  }
  if (!state.isBuilt && !(await parts.isKnown(key))) throw await revisionNotFound(parts, `r${state.revision}`, call);
  const file = await parts.built.get(recipe, call.client, call.signal);
  return {
    ...{ format, file, objectKey: builtFileObject(recipe), columns: columnsOf(format) },
    setEntityTag: (entityTag) => parts.setBuiltFileTag(key, entityTag),
    lost: () => parts.forget(key, file),
  };
}

function ofRelease(
  parts: StableFileParts,
  source: StableState['source'],
  format: FileFormatName,
  { objectKey, columns, ...file }: FreezeFile,
  { requestId }: EndpointCall,
): StableFile {
  return {
    ...{ format, objectKey, file },
    columns: columns === undefined ? undefined : storedColumns.parse(JSON.parse(columns)),
    setEntityTag: (entityTag) => parts.setReleaseFileTag(objectKey, entityTag),
    lost: () => {
      reportDamaged(parts, requestId, source, format, objectKey);
      return Promise.resolve();
    },
  };
}
