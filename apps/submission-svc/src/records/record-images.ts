import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { RecordImage } from './image-client.ts';

export function imageIdsOf({ fiberImages = [] }: ExperimentData): string[] {
  return fiberImages.flatMap(({ imageId }) => imageId ?? []);
}

export function imagesOf<RecordId extends number | undefined>(
  records: readonly { recordId: RecordId; data: ExperimentData }[],
): (Omit<RecordImage, 'recordId'> & { recordId: RecordId })[] {
  return records.flatMap(({ recordId, data }) => imageIdsOf(data).map((imageId) => ({ imageId, recordId })));
}
