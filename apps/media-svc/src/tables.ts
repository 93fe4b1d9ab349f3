import type { BlobTable, ImageTable } from './image/image.table.ts';

/** The tables of media-svc. */
export interface Tables {
  blob: BlobTable;
  image: ImageTable;
}
