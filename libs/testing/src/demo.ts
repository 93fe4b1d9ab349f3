import { readDemoSubmissions } from '@esd/dev-stack/demo/submissions';

/** The 57 submissions of the demo dataset as they are sent, in the order of their records' ids. */
export const demoSubmissions: readonly unknown[] = readDemoSubmissions();
