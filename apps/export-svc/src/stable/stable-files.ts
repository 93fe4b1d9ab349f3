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

/** What finds stable files, and builds those that are not there. */
export interface StableFileParts extends StateParts, RecipeParts, ReleaseFileStore {
  built: BuiltFiles;
  /** Whether a built file is there, or is being built. */
  isKnown: (key: string) => Promise<boolean>;
  setBuiltFileTag: (key: string, entityTag: string | undefined) => Promise<void>;
  /** Makes a built file one of a release. */
  adopt: (jobId: string, key: string, file: FreezeFile) => Promise<void>;
  /** Deletes the row of a built file that is not in the store, or not as it was. */
  forget: (key: string, file: StoredFile) => Promise<void>;
}

/** A stored file with an address that stays. */
export interface StableFile {
  format: FileFormatName;
  objectKey: string;
  file: StoredFile;
  /** Undefined for a file that is not a table. */
  columns: readonly FileColumn[] | undefined;
  setEntityTag: (entityTag: string | undefined) => Promise<void>;
  /** Called when it is not in the store, or not as it was. */
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
 * The file of a format of a state. What a release lacks is built once and belongs to it from then on; a file of the newest
 * revision is built and kept like one that is exported. Throws VERSION_NOT_FOUND for an older revision without the file,
 * UNAVAILABLE while it is being built and for a file of a release that is not the one it was frozen with.
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
    // Another copy of the service may have been first.
    const own = await parts.findReleaseFile(jobId, format);
    if (!own) throw new Error('a file of a release that is not there once it has been added');
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
