import { z } from 'zod';
import { recordStatuses } from '@esd/record/status/record-status';

/** A status in requests and answers. */
export const recordStatus = z.enum(recordStatuses).meta({ id: 'RecordStatus' });
