import { DATASET_REVISION } from '@esd/service/http/dataset-revision';

/** What the document says of the headers of an answer that was made from a state of the dataset. */
export const stateHeaders = { [DATASET_REVISION]: 'The dataset revision that was read.' } as const;
