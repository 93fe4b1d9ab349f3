import type { BlobTable, ImageTable } from './image/image.table.ts';

export interface Tables {
  blob: BlobTable;
  image: ImageTable;
}
