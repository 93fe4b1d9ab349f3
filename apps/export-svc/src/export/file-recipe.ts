import { createHash } from 'node:crypto';
import { readStateSeen } from '@esd/dataset-client/dataset-state';
import type { DatasetState } from '@esd/proto/esd/dataset/v1/dataset';
import { type FileFormatName, fileFormats } from '@esd/record/catalog/file-formats';
import { sortText } from '@esd/record/filter/sort-keys';
import { RULES } from '@esd/record/rules';
import type { EndpointCall } from '@esd/service/http/internal-endpoints';
import type { FileRecipe } from '../files/built-files.ts';
import { type DatasetReader, isPlain, openScan, type RecordForm } from '../files/open-scan.ts';
import type { OpenImage } from '../files/record-images.ts';
import { BUILDER, scanForm, writeFile } from '../files/writers.ts';
import type { Source } from './find-source.ts';

export interface RecipeParts {
  dataset: DatasetReader;
  openImage: OpenImage;
  /** The root URL of the public interface, without a trailing slash; empty if not configured. */
  root: string;
}

export async function stateOf(
  dataset: DatasetReader,
  { datasetId, revision }: Source,
  call: EndpointCall,
): Promise<{ datasetId: string; revision: number }> {
  if (datasetId !== undefined && revision !== undefined) return { datasetId, revision };
  const { state } = await dataset.getHead({ atLeast: readStateSeen(call) }, call);
  if (!state) throw new Error('the dataset has no state');
  return { datasetId: state.datasetId, revision: revision ?? state.revision };
}

export function fileRecipe(
  { dataset, openImage, root }: RecipeParts,
  { format, form, source }: { format: FileFormatName; form: RecordForm; source: Source },
  { datasetId, revision }: { datasetId: string; revision: number },
): FileRecipe {
  const { name, kind, date, doi, license, facts, digest, filter, snapshotId, queryId } = source;
  const sort = source.sort ?? (form.sort.length > 0 ? sortText(form.sort) : undefined);
  const all = [
    BUILDER,
    RULES,
    datasetId,
    revision,
    format,
    filter?.text ?? null,
    kind,
    name,
    date ?? null,
    doi ?? null,
    license,
    facts,
    root,
    digest ?? null,
    snapshotId ?? null,
    ...(queryId === undefined ? [] : [queryId]),
    ...(isPlain(form) ? [] : [form]),
  ];
  const key = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  const { mediaType } = fileFormats[format];
  const write: FileRecipe['write'] = async (path, signal) => {
    const scan = await openScan(
      dataset,
      { filter: filter?.conditions, revision, snapshotId, queryId, form: scanForm(format, form) },
      { requestId: `build-${key.slice(0, 12)}`, signal },
    );
    try {
      const { matching: count, chunks, state } = scan;
      const about = {
        facts,
        root,
        name,
        kind,
        date: date ?? dateOf(state),
        revision,
        digest,
        count,
        filter: filter?.text,
        sort,
        once: form.once || source.once === true,
        doi,
        license,
      };
      return await writeFile(format, { about, chunks, normalized: form.normalized }, path, openImage);
    } finally {
      await scan.close();
    }
  };
  return { key, format, mediaType, write };
}

/** Returns the time of a dataset revision. For a dataset without changes, returns the minimum date of a zip archive. */
function dateOf({ committedAt }: DatasetState): Date {
  return committedAt ?? new Date('1980-01-01T00:00:00Z');
}
