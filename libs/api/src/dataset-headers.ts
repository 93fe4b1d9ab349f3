/** The header with the dataset revision that a response has read. */
export const DATASET_REVISION = 'ESD-Dataset-Revision';

export const stateHeaders = { [DATASET_REVISION]: 'The dataset revision that was read.' } as const;
