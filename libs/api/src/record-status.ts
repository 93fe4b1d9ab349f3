import { z } from 'zod';
import { recordStatuses } from '@esd/record/status/record-status';

export const recordStatus = z.enum(recordStatuses).meta({ id: 'RecordStatus' });
