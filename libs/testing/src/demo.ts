import { join } from 'node:path';
import { readDemoSubmissions } from '@esd/dev-stack/demo/submissions';
import { root } from '@esd/dev-stack/root';

/** The facts of the demo dataset, as `ESD_DATASET_FILE` names them. */
export const demoDatasetFile = join(root, 'demo', 'dataset.json');

/** The 57 submissions of the demo dataset as they are sent, in the order of their records' ids. */
export const demoSubmissions: readonly unknown[] = readDemoSubmissions();
