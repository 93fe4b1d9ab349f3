/** The header that says which dataset revision an answer was made from. */
export const DATASET_REVISION = 'ESD-Dataset-Revision';
