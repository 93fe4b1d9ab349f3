import { join } from 'node:path';
import { readDemoSubmissions } from '@esd/dev-stack/demo/submissions';
import { root } from '@esd/dev-stack/root';

/** Path of the metadata of the demo dataset, for `ESD_DATASET_FILE`. */
export const demoDatasetFile = join(root, 'demo', 'dataset.json');

/** The 57 submissions of the demo dataset, ordered by record id. */
export const demoSubmissions: readonly unknown[] = readDemoSubmissions();
